import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The scripts that pages load; each is served by its own name. */
const ENTRIES = ['quickstart', 'checksum', 'webhooks', 'reference'].map(
  (name) => `server/site/browser/${name}.ts`,
)

/** Bundles that are being made in this process: the last one ends the process of esbuild. */
let underWay = 0

/**
 * Bundles scripts for browsers, with all that they import, as ES modules by their served names. Modules that several
 * scripts share are in chunks with a hash in their name. esbuild works in a process of its own, so that no payment waits.
 */
export async function bundleScripts(
  entryPoints: readonly string[] = ENTRIES,
): Promise<Map<string, Uint8Array>> {
  const { build, stop } = await import('esbuild')
  underWay += 1
  try {
    const { outputFiles } = await build({
      absWorkingDir: ROOT,
      entryPoints: [...entryPoints],
      outdir: ROOT,
      entryNames: '[name]',
      chunkNames: 'chunk-[hash]',
      write: false,
      bundle: true,
      splitting: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      // The same bytes from a checkout, which has a tsconfig.json, and from an installed package, which has none.
      tsconfigRaw: '{}',
      logLevel: 'silent',
    })
    return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]))
  } finally {
    underWay -= 1
    if (underWay === 0) await stop()
  }
}
