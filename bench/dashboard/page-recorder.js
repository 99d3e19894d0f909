// Runs inside the measured page, before its own scripts: notes when the page changes what it shows and when the change is
// painted. It is plain JavaScript, because a compiler would add helpers that the page does not have.
//
// A change of the document, or a drawing on a canvas, counts as painted when a message arrives that the next animation frame
// has posted: the browser delivers it after it has painted that frame.

(() => {
  /** Milliseconds between two looks at whether the page is quiet. */
  const TURN = 20;
  /** Parts of the page by `data-test`, from the innermost one on. Other changes of the document have the kind "document". */
  const PARTS = ["reading", "mark", "compare-table", "entry"];
  const frame = new MessageChannel();
  /** Kinds of the changes that no frame has yet, and kind and time of those that were painted. */
  let waiting = [];
  let painted = [];
  let isFrameAsked = false;
  let changes = 0;
  let unpainted = 0;
  let requests = 0;
  /** Time of the input. */
  let started = null;

  const change = (kind) => {
    changes++;
    unpainted++;
    waiting.push(kind);
    if (isFrameAsked) return;
    isFrameAsked = true;
    requestAnimationFrame(() => {
      isFrameAsked = false;
      frame.port2.postMessage(waiting);
      waiting = [];
    });
  };
  frame.port1.onmessage = ({ data }) => {
    const now = performance.now();
    for (const kind of data) painted.push([kind, now]);
    unpainted -= data.length;
  };

  const hasPart = (node, name) => {
    const element = node instanceof Element ? node : node.parentElement;
    const selector = `[data-test="${name}"]`;
    return element?.closest(selector) != null || node.querySelector?.(selector) != null;
  };
  const kindOf = ({ target, addedNodes }) => {
    // The whole document contains every part, so only what was added to it counts.
    const nodes = addedNodes.length > 0 ? [...addedNodes] : [target];
    return PARTS.find((name) => nodes.some((node) => hasPart(node, name))) ?? "document";
  };
  new MutationObserver((records) => {
    for (const kind of new Set(records.map(kindOf))) change(kind);
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });

  const { clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...place) {
    change("chart");
    return clearRect.apply(this, place);
  };

  // A request is under way until its answer was read.
  const counted = (owner, name) => {
    const original = owner[name];
    owner[name] = async function (...parameters) {
      requests++;
      try {
        return await original.apply(this, parameters);
      } finally {
        requests--;
      }
    };
  };
  counted(globalThis, "fetch");
  counted(Response.prototype, "json");
  counted(Response.prototype, "arrayBuffer");

  const turn = () => new Promise((done) => setTimeout(done, TURN));

  globalThis.recorder = {
    /** Waits for the next event of a type; its time is that of the input, also if the page was busy then. */
    expect(type) {
      started = null;
      addEventListener(
        type,
        (event) => {
          started = event.timeStamp;
          painted = [];
        },
        { capture: true, once: true },
      );
    },

    /** Milliseconds from the input until a change of a kind was painted. */
    async shown(kind) {
      while (started === null || !painted.some(([each]) => each === kind)) await turn();
      return painted.find(([each]) => each === kind)[1] - started;
    },

    /** Milliseconds from the input until the last change was painted; before that, the page must be quiet. */
    complete: () => painted.at(-1)[1] - started,

    /** Waits until the page has changed nothing for a time and has no request under way. */
    async quiet(time) {
      // Counted in turns and not by the clock: a busy page has few turns.
      for (let turns = 0; turns < time / TURN; turns++) {
        const before = changes;
        await turn();
        if (requests > 0 || unpainted > 0 || changes > before) turns = 0;
      }
    },

    /** Milliseconds from the start of the navigation until a change of a kind was painted; null before. */
    firstOf: (kind) => painted.find(([each]) => each === kind)?.[1] ?? null,
  };
})();
