import type { Edit } from './edit.ts'
import { fits, type Kind } from './kind.ts'

/** Faulty speakers that the kit does not find, each kind with the reason. */
export const ESCAPES: readonly Kind[] = [
  {
    place: /MOVE_SPREAD_MS|spreadMs/,
    why: 'the random wait before a new key is used (2.7, a SHOULD): two waits of one device show no spread',
  },
  {
    place: /REFUSED_SPREAD_MS|refusedDelayMs/,
    why: 'the random part of a long wait (13.2, a SHOULD): one wait of one device shows no spread',
  },
  {
    place: /FIRST_CEILING_MS|retryDelayMs|planRetry/,
    why: 'waits that are a little longer or shorter than the table (13.1): chance and a slow modem hide it',
  },
  {
    place: /connection\.ts receive/,
    change: / → true$/,
    why: 'counts any frame as a welcome (13.3, a SHOULD): no case lets a hub fail after it has sent frames',
  },
  {
    place: /update\.ts onUpdate/,
    change: /firmwareOf|state\.update/,
    why: 'begins again what is under way or runs already (18.5): the offer of the kit has no image, so no download lasts',
  },
]

export function whyEscaped(edit: Edit): string | undefined {
  return ESCAPES.find((kind) => fits(kind, edit))?.why
}
