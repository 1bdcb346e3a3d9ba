import type { Clock } from '../platform/clock.ts'
import { fieldError } from '../platform/errors.ts'
import type { Actor } from '../security/actor.ts'
import type { ProfilePreview } from './formats/preview.ts'
import { type BankProfile, isProfileName, type NamedProfile } from './formats/profile.ts'
import type { StatementRecords } from './ports.ts'
import type { Matchings } from './worker/client.ts'

/** Rows of a preview. */
const SHOWN = 20

interface ProfileDeps {
  statements: Pick<StatementRecords, 'saveProfile' | 'profiles'>
  matchings: Pick<Matchings, 'inThread'>
  clock: Pick<Clock, 'now'>
}

/** The profiles of banks: how their files are read. The console and the command line call the same verbs. */
export function manageProfiles({ statements, matchings, clock }: ProfileDeps) {
  return {
    /** By their names. */
    listProfiles: (): Promise<NamedProfile[]> => statements.profiles(),

    /** What a profile makes of a sample: its first 20 rows, and whether the whole can be imported. Stores nothing. */
    async previewProfile(profile: BankProfile, bytes: Uint8Array): Promise<ProfilePreview> {
      const matching = await matchings.inThread()
      try {
        return await matching.preview(bytes, profile, SHOWN)
      } finally {
        await matching.end()
      }
    },

    /**
     * Adds a profile, or replaces the one of this name. Statements that were imported by it stay as they are. Throws
     * VALIDATION_FAILED for a name that no profile can have.
     */
    async saveProfile(by: Actor, name: string, profile: BankProfile): Promise<void> {
      if (!isProfileName(name)) throw fieldError('VALIDATION_FAILED', 'name', 'is no name of a profile')
      await statements.saveProfile(by, { name, profile, updatedAt: clock.now() })
    },
  }
}
