/** What has to be known before the first request, as HTML; `origin` has to be escaped already. */
export const docsIntroduction = (
  origin: string,
): string => `<section id="begin"><h2 class="words">How to begin</h2>
<p><b>Who asks.</b> A program sends its key with every request: <code>Authorization: Bearer KEY</code>. The operator's
<code>pnpm --silent holdfast api-key create --role ROLE --name NAME</code> makes one. A person's browser sends the session cookie it got by signing in.</p>
<p><b>IDs.</b> <code>{id}</code> of an operation and every <code>commandId</code> are UUIDs of version 7 that the caller mints, once for
each thing that is wanted, and stores before the first try. Whatever came of a try, the same ID with the same contents may be
sent again: nothing is done twice. Other contents under a known ID are refused.</p>
<p><b>Propose</b> a refund (role agent). In a demo, order 10000 can be refunded:</p>
<pre tabindex="0">curl -X PUT ${origin}/v1/operations/$ID \\
  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -d '{"kind":"refund","orderId":"10000","amount":{"minor":12900,"currency":"EUR"},
       "reason":"returned","returnId":"R-10000","lines":[{"sku":"HP-200","quantity":1}]}'</pre>
<p><b>Approve</b> it (role approver): read the proposal, and send back the <code>fingerprint</code> of what was read, so that nothing
but this is approved. A key approves only where the server runs with <code>HOLDFAST_KEY_APPROVALS=on</code>; otherwise a person does.</p>
<pre tabindex="0">curl ${origin}/v1/operations/$ID -H "Authorization: Bearer $KEY"    # answers with "fingerprint"
curl -X POST ${origin}/v1/operations/$ID/approve \\
  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -d '{"commandId":"'$COMMAND_ID'","fingerprint":"'$FINGERPRINT'"}'</pre>
<p>Then <code>GET /v1/operations/{id}</code> or <code>/v1/feed</code> tells what became of it. <code>outcome_unknown</code> is an answer:
it is being looked up, and must not be proposed anew.</p>
<p><b>Follow.</b> <code>GET /v1/feed</code> streams every change. Where a proxy holds streams back, ask
<code>GET /v1/feed?until=caught-up&amp;cursor=CURSOR</code> every few seconds: the same events under the same cursors, and the answer
ends with <code>live</code>, whose ID is the cursor for the next time. One that ends without <code>live</code> was cut: go on from the last ID.</p></section>`;
