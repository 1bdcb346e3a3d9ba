import { upPrefix } from '../../../frame.ts'
import { hmacSha256 } from '../../../hmac.ts'
import type { DeviceKeys } from '../../../keys.ts'
import type { UpKind } from '../../../topics.ts'
import type { Identity } from '../identity.ts'
import { type KeyGuess, keyGuesses } from '../keys.ts'
import { DIGEST_FORMS, type DigestForm } from './digests.ts'
import { type PrefixGuess, prefixGuesses } from './prefixes.ts'
import { type SignedGuess, takeApart } from './signed.ts'

/** Why a MAC is wrong. */
export interface MacGuess {
  says: string
  /** The keys with which the device seals and verifies, if they are not the right ones. */
  keys?: DeviceKeys
  /** The session that the device believes to be in, if it is another one. */
  sid?: string
}

export interface MacContext {
  sid: string
  sidOfBirth?: string | undefined
  earlierSids: readonly string[]
  kind: UpKind
}

/** Whole searches of a run. The next wrong MACs are compared with the mistakes that were found. */
const MOST_SEARCHES = 6
const UNKNOWN: MacGuess = {
  says: 'it comes from no mistake that the kit knows: compare key, prefix, digest and frame with vectors/frame.json',
}

/** One choice for each part of a MAC. An undefined `says` is the right choice. */
interface Recipe {
  key: Partial<KeyGuess> & { up: Buffer }
  prefix: Omit<PrefixGuess, 'says'> & { says?: string }
  signed: SignedGuess
  form: DigestForm
}

/**
 * Finds the mistake in a MAC: searches key × prefix × bytes × form, with one mistake or two. A device makes the same
 * mistake in each frame, so the mistakes that were found are tried first, and there are few whole searches.
 */
export class MacDetective {
  readonly #identity: Identity
  readonly #keys: readonly Recipe['key'][]
  readonly #found = new Set<string>()
  #searches = 0

  constructor(identity: Identity) {
    this.#identity = identity
    this.#keys = keysOf(identity)
  }

  explain(context: MacContext, payload: Buffer): MacGuess {
    const { mac, fault, signed } = takeApart(payload)
    if (mac === undefined) return fault === undefined ? UNKNOWN : { says: fault }
    const recipe = this.#search(context, mac, signed)
    if (!recipe) return fault === undefined ? UNKNOWN : { says: fault }
    const { key, prefix } = recipe
    const mistakes = [fault, ...mistakesOf(recipe)].filter((says) => says !== undefined)
    return {
      says: mistakes.join('. And ') || UNKNOWN.says,
      ...(key.keys ? { keys: key.keys } : {}),
      ...(prefix.sid === undefined ? {} : { sid: prefix.sid }),
    }
  }

  #search(context: MacContext, mac: string, signed: readonly SignedGuess[]): Recipe | undefined {
    const forms = DIGEST_FORMS.filter(({ characters }) => characters === mac.length)
    const { serial } = this.#identity
    const right = { prefix: upPrefix(serial, context.sid, context.kind) }
    const prefixes: Recipe['prefix'][] = [
      right,
      ...prefixGuesses({ serial, sidOfBirth: undefined, ...context }),
    ]
    const known = this.#match(mac, forms, triples(this.#keys, prefixes, signed), (recipe) =>
      this.#found.has(nameOf(recipe)),
    )
    if (known || this.#searches >= MOST_SEARCHES) return known
    this.#searches += 1
    const found = this.#match(mac, forms, triples(this.#keys, prefixes, signed))
    if (found) this.#found.add(nameOf(found))
    return found
  }

  #match(
    mac: string,
    forms: readonly DigestForm[],
    choices: Iterable<Omit<Recipe, 'form'>>,
    isWorthTrying = (_: Omit<Recipe, 'form'>) => true,
  ): Recipe | undefined {
    if (forms.length === 0) return undefined
    for (const choice of choices) {
      if (!isWorthTrying(choice)) continue
      const digest = Buffer.from(
        hmacSha256(choice.key.up, choice.prefix.prefix, choice.signed.bytes),
        'latin1',
      )
      const form = forms.find(({ write }) => write(digest) === mac)
      if (form) return { ...choice, form }
    }
    return undefined
  }
}

/** The right key, those of other purposes, and those of a wrong derivation. */
function keysOf(identity: Identity): Recipe['key'][] {
  const { key, keys } = identity
  const other = (name: string, up: Buffer, down: Buffer) => ({
    says: `it is made with ${name}: what the device sends is sealed with the key sb1/up (5.2)`,
    keys: { ...keys, up, down },
    up,
  })
  return [
    { up: keys.up },
    other('the key sb1/down', keys.down, keys.up),
    other('the key sb1/login', keys.login, keys.login),
    other('the key K itself', key, key),
    other('an empty key', Buffer.alloc(0), Buffer.alloc(0)),
    ...keyGuesses(identity).map((guess) => ({ ...guess, up: guess.keys.up })),
  ]
}

/** All choices with no mistake, then with one, then with two. The first of each list is the right one. */
function* triples(
  keys: readonly Recipe['key'][],
  prefixes: readonly Recipe['prefix'][],
  signed: readonly SignedGuess[],
): Generator<Omit<Recipe, 'form'>> {
  const [key] = keys
  const [prefix] = prefixes
  const [bytes] = signed
  if (!key || !prefix || !bytes) return
  for (const one of keys) yield { key: one, prefix, signed: bytes }
  for (const one of prefixes) yield { key, prefix: one, signed: bytes }
  for (const one of signed) yield { key, prefix, signed: one }
  for (const one of keys) for (const other of prefixes) yield { key: one, prefix: other, signed: bytes }
  for (const one of keys) for (const other of signed) yield { key: one, prefix, signed: other }
  for (const one of prefixes) for (const other of signed) yield { key, prefix: one, signed: other }
}

function mistakesOf({ key, prefix, signed, form }: Recipe): (string | undefined)[] {
  return [key.says, prefix.says, signed.says, form.says]
}

function nameOf({ key, prefix, signed }: Omit<Recipe, 'form'>): string {
  return [key.says, prefix.says, signed.says].join('\n')
}
