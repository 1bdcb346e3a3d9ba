import { hmacSha256 } from '#platform'
import { upPrefix } from '../../../frame.ts'
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
  /** What is said of a MAC that no known mistake gives. */
  otherwise?: string | undefined
}

/** Whole searches of a run. The next wrong MACs are compared with the mistakes that were found. */
const MOST_SEARCHES = 3
const UNKNOWN =
  'it comes from no mistake that the kit knows: compare key, prefix, digest and frame with vectors/frame.json'

/** A choice for each part of a MAC. An undefined `says` is the right one. */
interface Choice {
  key: Partial<KeyGuess> & { up: Uint8Array }
  prefix: Omit<PrefixGuess, 'says'> & { says?: string }
  signed: SignedGuess
}
type Recipe = Choice & { form: DigestForm }

/**
 * Finds the mistake in a MAC: searches key × prefix × bytes × form, with one mistake or two. A device makes the same
 * mistake in each frame, so the mistakes that were found are tried first, and there are few whole searches.
 */
export class MacDetective {
  readonly #identity: Identity
  readonly #keys: readonly Choice['key'][]
  readonly #found = new Set<string>()
  #searches = 0

  constructor(identity: Identity) {
    this.#identity = identity
    this.#keys = keysOf(identity)
  }

  /** The number of whole searches. */
  get searches(): number {
    return this.#searches
  }

  explain(context: MacContext, payload: Buffer): MacGuess {
    const { mac, fault, signed } = takeApart(payload)
    const recipe = mac === undefined ? undefined : this.#search(context, mac, signed)
    if (!recipe) return { says: fault ?? context.otherwise ?? UNKNOWN }
    const { key, prefix } = recipe
    const mistakes = [fault, ...mistakesOf(recipe)].filter((says) => says !== undefined)
    return {
      says: mistakes.join('. And ') || UNKNOWN,
      ...(key.keys ? { keys: key.keys } : {}),
      ...(prefix.sid === undefined ? {} : { sid: prefix.sid }),
    }
  }

  #search(context: MacContext, mac: string, signed: readonly SignedGuess[]): Recipe | undefined {
    const forms = DIGEST_FORMS.filter(({ characters }) => characters === mac.length)
    const { serial } = this.#identity
    const right = { prefix: upPrefix(serial, context.sid, context.kind) }
    const prefixes = [right, ...prefixGuesses({ serial, sidOfBirth: undefined, ...context })]
    const choices = () => triples(this.#keys, prefixes, signed)
    const isKnown = (choice: Choice) => this.#found.has(nameOf(choice))
    const known = this.#found.size === 0 ? undefined : match(mac, forms, choices(), isKnown)
    if (known || this.#searches >= MOST_SEARCHES) return known
    this.#searches += 1
    const found = match(mac, forms, choices(), () => true)
    if (found) this.#found.add(nameOf(found))
    return found
  }
}

/** The first choice that gives this MAC in one of these forms. */
function match(
  mac: string,
  forms: readonly DigestForm[],
  choices: Iterable<Choice>,
  isCandidate: (choice: Choice) => boolean,
): Recipe | undefined {
  if (forms.length === 0) return undefined
  for (const choice of choices) {
    if (!isCandidate(choice)) continue
    const { key, prefix, signed } = choice
    const digest = Buffer.from(hmacSha256(key.up, prefix.prefix, signed.bytes))
    const form = forms.find(({ write }) => write(digest) === mac)
    if (form) return { ...choice, form }
  }
  return undefined
}

/** The right key, those of other purposes, and those of a wrong derivation. */
function keysOf(identity: Identity): Choice['key'][] {
  const { key, keys } = identity
  const other = (name: string, up: Uint8Array, down: Uint8Array) => ({
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
  keys: readonly Choice['key'][],
  prefixes: readonly Choice['prefix'][],
  signed: readonly SignedGuess[],
): Generator<Choice> {
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

function nameOf({ key, prefix, signed }: Choice): string {
  return [key.says, prefix.says, signed.says].join('\n')
}
