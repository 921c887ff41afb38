import type { Rule } from 'eslint';

/** Time and chance are parameters: a decision that reads a clock by itself can be neither replayed nor tested. */
export const strayClocks: Rule.RuleModule = {
  meta: {
    type: 'problem',
    docs: { description: 'decisions take time and chance as parameters' },
    schema: [],
    messages: { stray: '{{what}} is read here; let it come in as a parameter' },
  },
  create(context) {
    const stray = (node: Rule.Node, what: string): void =>
      context.report({ node, messageId: 'stray', data: { what } });
    return {
      MemberExpression(node) {
        if (node.object.type !== 'Identifier' || node.property.type !== 'Identifier') return;
        const what = `${node.object.name}.${node.property.name}`;
        if (what === 'Date.now' || what === 'Math.random' || what === 'performance.now') stray(node, what);
      },
      NewExpression(node) {
        if (node.callee.type === 'Identifier' && node.callee.name === 'Date' && node.arguments.length === 0) {
          stray(node, 'new Date()');
        }
      },
      CallExpression(node) {
        if (node.callee.type === 'Identifier' && node.callee.name === 'Date') stray(node, 'Date()');
      },
    };
  },
};
