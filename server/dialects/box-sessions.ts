import type { BoxSessions } from '../delivery/dialect.ts'
import type { SessionRules } from '../delivery/session/ports.ts'
import type { Clock } from '../platform/clock.ts'
import type { Profile } from './profile/schema.ts'

/** Opens the sessions of boxes. The dialects are loaded for the first one: most hubs have none. */
export function createBoxSessions({ now }: Pick<Clock, 'now'>): BoxSessions {
  /** Shared by all boxes of a profile that ships: there may be ten thousand. */
  const rulesOf = new WeakMap<Profile, SessionRules>()

  return {
    async open({ serial, wireId, profile: name, document }) {
      const { dialectOf, resolveProfile } = await import('./boxes.ts')
      const profile = resolveProfile(name, document)
      if (!profile) return { refused: `this hub has no profile ${name}, or does not understand it` }
      const dialect = dialectOf(profile)
      const rules = rulesOf.get(profile) ?? dialect.rules(profile)
      rulesOf.set(profile, rules)
      return { rules, codec: dialect.codec({ serial, wireId, profile, now }) }
    },
  }
}
