import type { SignOff, StatementRecords } from '../../../reconciliation/ports.ts'
import { toProfile } from '../../shared/statement-mapping.ts'
import { type Engine, rows } from '../act.ts'
import { noteChange } from '../audit-trail.ts'
import { createAccountChoices, createCollecting } from './collect.ts'
import { createDecisions } from './decisions.ts'
import { createStatementImports } from './imports.ts'
import { createStatementOutcomes } from './outcomes.ts'
import { createMatchingReads, createStatementReads } from './reads.ts'

export function createStatementRecords(engine: Engine, uuid: () => string): StatementRecords {
  const { reading, writing } = engine

  return {
    ...createStatementImports(engine, uuid),
    ...createCollecting(engine),
    ...createAccountChoices(engine),
    ...createStatementOutcomes(engine),
    ...createDecisions(engine),
    ...createStatementReads(engine),
    ...createMatchingReads(engine),

    saveProfile: writing(function* (by, { name, profile, updatedAt: at }) {
      yield* rows(
        'statements.saveProfile',
        `INSERT INTO bank_profiles (name, profile, updated_at) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET profile = excluded.profile, updated_at = excluded.updated_at`,
        [name, JSON.stringify(profile), at],
      )
      yield* noteChange({ by, at, action: 'bank-profile.save', subject: name })
    }),

    profiles: reading(function* () {
      const found = yield* rows<{ name: string; profile: string; updatedAt: number }>(
        'statements.profiles',
        'SELECT name, profile, updated_at AS "updatedAt" FROM bank_profiles ORDER BY name',
      )
      return found.map(toProfile)
    }),

    signOffs: reading(function* (statementId) {
      return yield* rows<SignOff>(
        'statements.signOffs',
        `SELECT id, statement_id AS "statementId", at, signed_by AS "signedBy", note, hash, snapshot FROM signoffs
         WHERE statement_id = $1 ORDER BY id`,
        [statementId],
      )
    }),
  }
}
