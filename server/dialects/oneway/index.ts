import type { BoxCodec } from '../../delivery/dialect.ts'
import { commonProblems } from '../profile/check.ts'
import type { BoxDialect } from '../profile/dialect.ts'
import { createDownTopic } from '../profile/names.ts'
import { bornOf, boxAbilities, boxRules } from '../profile/rules.ts'
import type { OnewayProfile } from '../profile/schema.ts'
import { sentenceMs } from '../profile/sentence.ts'
import { packProblems } from './packs.ts'
import { hearState } from './read.ts'
import { placeholdersOf } from './template.ts'
import { PLACEHOLDERS } from './values.ts'
import { pingMessage, writeTemplate } from './write.ts'

/** Boxes that only hear. Their messages are JSON templates of the profile. */
export const oneway: BoxDialect<OnewayProfile> = {
  rules(profile) {
    return boxRules(profile, 'delivered', {
      busyMs: (body) => sentenceMs(profile, body),
      canShowMissed: false,
      birth: 'subscribe',
    })
  },

  abilities(profile) {
    const shows = { screen: false, qr: profile.qr !== undefined, missed: false }
    return boxAbilities(profile, { proof: 'none', ...shows, keypad: false })
  },

  codec({ serial, profile, now }): BoxCodec {
    const down = createDownTopic(profile, serial)
    const target = { topic: down.topic, serial, profile }
    const { ping } = profile
    return {
      subscribed: down.subscribed,
      write: (sending, at, bufferBytes) => writeTemplate(target, sending, at, bufferBytes),
      confirmed({ id: commandId, commandNumber, body }) {
        const reached = { commandId, commandNumber, reason: undefined }
        if (body.kind !== 'announce') return { kind: 'reached', ack: { ...reached, stage: 'shown' } }
        return { kind: 'reached', ack: { ...reached, stage: 'delivered', proof: 'none' } }
      },
      read: (packet) => hearState(profile, packet),
      born: () => bornOf(profile, { mayRepeat: true, until: 'received' }),
      ...(ping && {
        ping: { everyMs: ping.everySeconds * 1_000, message: () => pingMessage(target, ping.json, now()) },
      }),
    }
  },

  check(profile) {
    const problems = [...packProblems(profile), ...placeholderProblems(profile)]
    return problems.length > 0 ? problems : commonProblems(profile, oneway.codec)
  },
}

/** Sentences on placeholders that no message of their kind has. */
function placeholderProblems({ announce, code, qr, ping, telemetry, limits }: OnewayProfile): string[] {
  const forms = [
    ...announce.map(({ json }, index) => ['announce', `announce.${index}.json`, json] as const),
    ...(code ? [['code', 'code', code] as const] : []),
    ...(qr ? [['qr', 'qr', qr] as const] : []),
    ...(ping ? [['ping', 'ping.json', ping.json] as const] : []),
  ]
  const problems = forms.flatMap(([kind, field, json]) => {
    const known: readonly string[] = PLACEHOLDERS[kind]
    return placeholdersOf(json)
      .filter((name) => !known.includes(name))
      .map(
        (name) =>
          `${field}: {${name}} is not known here. Use one of ${known.map((one) => `{${one}}`).join(' ')}.`,
      )
  })
  const names: readonly string[] = Object.values(PLACEHOLDERS).flat()
  for (const limited of Object.keys(limits ?? {}))
    if (!names.includes(limited))
      problems.push(`limits.${limited}: no placeholder has this name. Take it out.`)
  const { battery } = telemetry ?? {}
  if (battery && battery.fullMillivolts <= battery.emptyMillivolts)
    problems.push('telemetry.battery.fullMillivolts must be above emptyMillivolts.')
  return problems
}
