/** The same find as a jscodeshift transform: calls of SDK methods by name, and `new Daytona`. */
const METHODS = new Set([
  'create',
  'executeCommand',
  'uploadFile',
  'downloadFile',
  'getPreviewLink',
  'stop',
  'delete',
]);

module.exports = function find(file, api) {
  const root = api.jscodeshift(file.source);
  root.find(api.jscodeshift.CallExpression).forEach((path) => {
    const callee = path.node.callee;
    if (callee.type === 'MemberExpression' && METHODS.has(callee.property.name)) api.stats('site');
  });
  root.find(api.jscodeshift.NewExpression, { callee: { name: 'Daytona' } }).forEach(() => {
    api.stats('site');
  });
};

module.exports.parser = 'tsx';
