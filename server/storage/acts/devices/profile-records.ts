import type { ProfileRecords, StoredProfile } from '../../../devices/ports.ts'
import { type Act, type Engine, row, rows } from '../act.ts'
import { noteChange } from '../audit-trail.ts'

export function createProfileRecords({ reading, writing }: Engine): ProfileRecords {
  return {
    find: reading((name) =>
      row<StoredProfile>('profiles.find', 'SELECT name, document, since FROM profiles WHERE name = $1', [
        name,
      ]),
    ),

    save: writing(function* (by, name, document, at) {
      yield* rows(
        'profiles.save',
        `INSERT INTO profiles (name, document, since) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET document = excluded.document, since = excluded.since`,
        [name, document, at],
      )
      yield* noteChange({ by, at, action: 'profile.save', subject: name })
    }),

    list: reading(() =>
      rows<StoredProfile>('profiles.list', 'SELECT name, document, since FROM profiles ORDER BY name'),
    ),
  }
}

/** Stores a profile unless there is one of that name. */
export function* addProfile(name: string, document: string, at: number): Act<'added' | 'known' | 'differs'> {
  const added = yield* row(
    'profiles.add',
    'INSERT INTO profiles (name, document, since) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING RETURNING 1',
    [name, document, at],
  )
  if (added) return 'added'
  const known = yield* row<{ document: string }>(
    'profiles.document',
    'SELECT document FROM profiles WHERE name = $1',
    [name],
  )
  return known?.document === document ? 'known' : 'differs'
}
