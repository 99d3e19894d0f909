// The package.json of the main package as it is published, made from the one of the clone.

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** Keys that only a clone uses. `private` keeps the clone itself from being published. */
const CLONE_KEYS = ["private", "scripts", "devDependencies", "allowScripts", "overrides"];

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
  return {
    ...(Object.fromEntries(kept) as Manifest),
    optionalDependencies: { ...others, ...platforms },
  };
}
