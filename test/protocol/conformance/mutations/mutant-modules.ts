import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { createSpeaker } from '../../../../simulator/speaker/speaker.ts'
import { applyEdit, type Edit } from './edit.ts'

/** Modules of which each mutant has its own copy. The kit keeps the product's. */
const OWN = [/\/simulator\/speaker\//, /\/protocol\/frame\.ts$/, /\/protocol\/messages\/command\.ts$/]

/** Loads speakers whose sources have one edit. */
export class MutantModules {
  readonly #root: string
  #edit: Edit | undefined
  #count = 0

  constructor(root: string) {
    this.#root = root
    registerHooks({
      resolve: (specifier, context, next) => {
        const found = next(specifier, context)
        const copy = copyOf(context.parentURL)
        const isOwn = copy !== null && OWN.some((path) => path.test(found.url))
        return isOwn ? { ...found, url: `${found.url}?copy=${copy}` } : found
      },
      load: (url, context, next) => {
        const edit = copyOf(url) === null ? undefined : this.#edit
        if (!edit || fileURLToPath(url) !== `${root}/${edit.file}`) return next(url, context)
        const source = stripTypeScriptTypes(applyEdit(readFileSync(fileURLToPath(url), 'utf8'), edit))
        return { format: 'module', source, shortCircuit: true }
      },
    })
  }

  /** Rejects when the edit leaves no program. */
  async speakerOf(edit: Edit): Promise<typeof createSpeaker> {
    this.#edit = edit
    this.#count += 1
    const url = pathToFileURL(`${this.#root}/simulator/speaker/speaker.ts`)
    const module: { createSpeaker: typeof createSpeaker } = await import(`${url}?copy=${this.#count}`)
    return module.createSpeaker
  }
}

function copyOf(url: string | undefined): string | null {
  return url === undefined || !URL.canParse(url) ? null : new URL(url).searchParams.get('copy')
}
