import type { Clock } from '../platform/clock.ts'
import type { Actor } from '../security/actor.ts'
import type { BankProfile, NamedProfile } from './formats/profile.ts'
import { readable } from './import-statement.ts'
import type { Line } from './model/statement.ts'
import type { StatementRecords } from './ports.ts'
import type { Matchings } from './worker/client.ts'
import type { FileHead } from './worker/matching.ts'

/** Rows of a preview. */
const SHOWN = 20

interface ProfileDeps {
  statements: Pick<StatementRecords, 'saveProfile' | 'profiles'>
  matchings: Pick<Matchings, 'inThread'>
  clock: Pick<Clock, 'now'>
}

/** The profiles of banks: how their files are read. */
export function manageProfiles({ statements, matchings, clock }: ProfileDeps) {
  return {
    /** By their names. */
    listProfiles: (): Promise<NamedProfile[]> => statements.profiles(),

    /** What a profile makes of a file: the first 20 rows. Stores nothing. Throws STATEMENT_UNREADABLE. */
    async previewProfile(
      profile: BankProfile | undefined,
      bytes: Uint8Array,
    ): Promise<{ head: FileHead; lines: readonly Line[] }> {
      const matching = await matchings.inThread()
      try {
        const head = await readable(() => matching.read(bytes, { account: undefined, profile }))
        return { head, lines: (await matching.lines(0)).slice(0, SHOWN) }
      } finally {
        await matching.end()
      }
    },

    /** Adds a profile, or replaces the one of this name. Statements that were imported by it stay as they are. */
    saveProfile: (by: Actor, name: string, profile: BankProfile): Promise<void> =>
      statements.saveProfile(by, { name, profile, updatedAt: clock.now() }),
  }
}
