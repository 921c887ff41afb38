/** What makes more of a name than the name: "10", "1-b", "€1" and "1.50" do not say "1". */
const goesOnBefore = /[\p{L}\p{N}_€$£-]$|\p{N}[.,]$/u;
const goesOnAfter = /^[\p{L}\p{N}_€$£-]|^[.,]\p{N}/u;

/** Whether a text names something by its whole ID, not by a piece of a longer word or number. */
export const saysName = (text: string, name: string): boolean => {
  if (name === '') return false;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const end = at + name.length;
    const before = text.slice(Math.max(0, at - 2), at);
    if (!goesOnBefore.test(before) && !goesOnAfter.test(text.slice(end, end + 2))) return true;
  }
  return false;
};
