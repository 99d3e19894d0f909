// The package.json of the main package as it is published, made from the one of the clone.

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** Keys that only a clone uses. `private` keeps the clone itself from being published. */
const CLONE_KEYS = ["private", "scripts", "devDependencies", "allowScripts", "overrides"];

/** Packages of a queue. Few users need one, and BullMQ brings a package with an install script, so users install them
 * themselves; the command says so. */
const QUEUE_PACKAGES = ["bullmq", "ioredis", "pg"];

/** The runtime of the clone is replaced by the platform packages: npm installs the one of the user's platform. */
export function publishedManifest(
  clone: Manifest,
  platformPackages: readonly { readonly name: string; readonly version: string }[],
): Manifest {
  const { "onnxruntime-node": runtime, ...others } = clone.optionalDependencies;
  if (runtime === undefined)
    throw new Error("package.json must have the optional dependency onnxruntime-node");
  for (const { name, version } of platformPackages) {
    if (version !== runtime) {
      throw new Error(`${name} has version ${version}, but package.json asks for ${runtime}; run npm ci`);
    }
  }
  const platforms = Object.fromEntries(platformPackages.map(({ name, version }) => [name, version]));
  const kept = Object.entries(clone).filter(([key]) => !CLONE_KEYS.includes(key));
  const isOfQueue = ([name]: readonly [string, string]) => QUEUE_PACKAGES.includes(name);
  const installed = Object.entries(others).filter((entry) => !isOfQueue(entry));
  const peers = Object.entries(others).filter(isOfQueue);
  return {
    ...(Object.fromEntries(kept) as Manifest),
    optionalDependencies: { ...Object.fromEntries(installed), ...platforms },
    ...(peers.length > 0 && {
      peerDependencies: Object.fromEntries(peers),
      peerDependenciesMeta: Object.fromEntries(peers.map(([name]) => [name, { optional: true }])),
    }),
  };
}
