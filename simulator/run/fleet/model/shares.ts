import { guess } from '../../../../protocol/text/nearest.ts'

/** Parts of a whole by their names, each above 0 and at most 1. */
export type Shares<Name extends string> = Readonly<Partial<Record<Name, number>>>

const SHARE = /^(\d+(?:\.\d+)?) ?%$/

/** Parses `5%`; undefined: it is no part of a whole. */
export function parseShare(text: string): number | undefined {
  const share = Number(SHARE.exec(text)?.[1] ?? 0) / 100
  return share > 0 && share <= 1 ? share : undefined
}

/** Parses `mute=5%`. A text is what is wrong with it. */
export function parseNamedShare<Name extends string>(
  text: string,
  names: readonly Name[],
): Shares<Name> | string {
  const [given = '', percent = ''] = text.split('=')
  const name = names.find((one) => one === given)
  if (name === undefined) {
    const meant = guess(given, names)
    return `There is no ${given}; ${meant === undefined ? `there are ${names.join(', ')}.` : `did you mean ${meant}?`}`
  }
  const share = parseShare(percent)
  return share === undefined ? `Give its share, such as ${name}=5%.` : named(name, share)
}

/** The name of a share for a random number in [0, 1); undefined: what is left of the whole. */
export function pick<Name extends string>(
  shares: Shares<Name>,
  names: readonly Name[],
  random: number,
): Name | undefined {
  let end = 0
  return names.find((name) => {
    end += shares[name] ?? 0
    return random < end
  })
}

export function sumOf(shares: Shares<string>): number {
  return Object.values(shares).reduce<number>((sum, share) => sum + (share ?? 0), 0)
}

function named<Name extends string>(name: Name, share: number): Shares<Name> {
  const shares: Partial<Record<Name, number>> = {}
  shares[name] = share
  return shares
}
