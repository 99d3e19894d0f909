// What happened to the page: it slept, or was discarded, or works without a network.

import { formatDuration } from "../../src/report/text-format.ts";
import { usePlayground } from "./store.ts";

export function Notices() {
  const { slept, wasDiscarded } = usePlayground();
  return (
    <div role="status" data-test="notices">
      {slept.value !== null && (
        <div class="banner" data-test="slept">
          The browser put this tab to sleep for {formatDuration(slept.value)}. The training stood still
          meanwhile, and has gone on where it was.
        </div>
      )}
      {wasDiscarded.value && (
        <div class="banner">
          The browser discarded this tab to save memory, and its training with it. The settings are still
          here; press Train to start again.
        </div>
      )}
    </div>
  );
}
