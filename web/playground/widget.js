// The playground as a widget of Jupyter and marimo (anywidget): one module. The playground runs in a frame of its own, so that it
// and the notebook do not share styles, and so that its policy forbids all requests.

/** The whole page; the build puts it in. */
const PAGE = __PAGE__;

/** Height of the frame in pixels. */
const HEIGHT = 900;

function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = "gflownet playground";
  frame.style.cssText = `width: 100%; height: ${HEIGHT}px; border: 1px solid #8884; border-radius: 6px; resize: vertical;`;
  const send = () =>
    frame.contentWindow?.postMessage({ kind: "settings", settings: model.get("settings") ?? "" }, "*");
  const receive = ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    if (data.kind === "ready") send();
    else if (data.kind === "settings" || data.kind === "result") {
      model.set(data.kind, data[data.kind]);
      model.save_changes();
    }
  };
  addEventListener("message", receive);
  model.on("change:settings", send);
  frame.srcdoc = PAGE;
  el.append(frame);
  return () => {
    removeEventListener("message", receive);
    model.off("change:settings", send);
    frame.remove();
  };
}

export default { render };
