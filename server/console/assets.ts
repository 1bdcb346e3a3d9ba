import { fileURLToPath } from 'node:url'
import { cached, readAssets } from '../site/asset.ts'

const ours = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The style, the script and the icon of the console, made at the first request. */
export const consoleAssets = () =>
  cached(() =>
    readAssets(
      {
        'console.css': ours('style/console.css'),
        'line.css': ours('style/line.css'),
        'icon.svg': ours('../site/style/icon.svg'),
      },
      ['server/console/browser/console.ts'],
    ),
  )
