// Replaces global-agent, which only the install script of onnxruntime-node uses, in a clone. That script would download
// GPU libraries from outside the npm registry, and npm 10 drops the package if it fails. It calls `bootstrap` first.

exports.bootstrap = () => {
  process.env.ONNXRUNTIME_NODE_INSTALL = "skip";
};
