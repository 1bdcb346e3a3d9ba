import { announce } from '../../messages/announce.ts'
import type { CommandType } from '../../messages/command.ts'
import type { Language } from '../../money/language.ts'
import { announcementClips } from '../../money/sentence.ts'
import { buildVietQr } from '../../vietqr/build.ts'

/** The values that sample bodies use. */
export interface SampleContext {
  /** The stand-in's clock, Unix seconds. */
  now: number
  lang: Language
  /** The highest command number so far. */
  highest: number
  /** A settings version above all earlier ones. */
  nextVersion: number
  /** A key of the device, masked for this command: `old` or `new`. */
  maskedKey: (which: unknown) => string
}

type Body = Record<string, unknown>

/** For how many seconds a sample code or QR is valid. */
const SHOWN_S = 300

/** A valid body for every command type. A case overrides the fields that it tests. */
const SAMPLES: { readonly [T in CommandType]: (context: SampleContext) => Body } = {
  welcome: ({ now, highest }) => ({ now, n: highest, linked: true }),
  profile: () => ({ name: 'Conformance kit', qr: '' }),
  code: ({ now }) => ({ code: '482916', exp: now + SHOWN_S }),
  // The shortest sentence: most of a run is speech.
  announce: ({ lang }) => ({ amount: '5', currency: 'VND', lang }),
  qr: ({ now }) => ({ amount: '500000', bill: 'BILL-1', exp: now + SHOWN_S }),
  clear: () => ({ what: 'code' }),
  missed: () => ({ count: 2, amount: '30000' }),
  settings: ({ lang, nextVersion }) => ({ ver: nextVersion, volume: 60, lang }),
  identify: () => ({}),
  rekey: () => ({ key: 'new' }),
  update: () => ({
    // A device that installed it would restart in the middle of another case. No host has this name (RFC 6761).
    ...{ fw: 'conformance', url: 'http://kit.invalid/conformance.bin', size: 65_536 },
    sha256: 'A'.repeat(43),
  }),
}

/** Builds a body from the sample of its type and the changes, and derives `clips` and `qr` from both. */
export function bodyOf(t: string, changes: Body, context: SampleContext): Body {
  if (!isCommandType(t)) return changes
  const body = { ...SAMPLES[t](context), ...changes }
  switch (t) {
    case 'announce':
      return 'clips' in body ? body : { ...body, ...clipsFor(body) }
    case 'rekey':
      return ['old', 'new'].includes(String(body.key)) ? { key: context.maskedKey(body.key) } : body
    case 'qr':
      return 'qr' in body ? body : { ...body, ...qrFor(body) }
    default:
      return body
  }
}

/** The sentence of an amount. Nothing if the amount or the language is invalid. */
function clipsFor(body: Body): Body {
  const said = announce.pick({ amount: true, lang: true }).safeParse(body)
  return said.success ? { clips: announcementClips(said.data.lang, said.data.amount) } : {}
}

function qrFor({ amount, bill }: Body): Body {
  const built = buildVietQr({
    ...{ bin: '970422', account: '0123456789' },
    ...{ amount: String(amount), bill: String(bill) },
  })
  return built.ok ? { qr: built.value } : {}
}

function isCommandType(t: string): t is CommandType {
  return Object.hasOwn(SAMPLES, t)
}
