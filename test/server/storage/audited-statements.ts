import { profileSchema } from '../../../server/reconciliation/formats/profile.ts'
import { NO_SUMMARY } from '../../../server/reconciliation/match/summary.ts'
import { LOTUS } from '../../support/statements/banks.ts'
import { audited, CLIENT } from './audited.ts'
import { AT } from './shop.ts'
import { begunStatement, storedStatement } from './statement-world.ts'

/** The acts on statements: see ACTS. */
export const STATEMENT_ACTS = {
  'statements.saveProfile': audited(
    'bank-profile.save',
    () => LOTUS,
    ({ statements }, by, { name, profile }) =>
      statements.saveProfile(by, { name, profile: profile ?? profileSchema.parse({}), updatedAt: AT }),
  ),
  'statements.begin': 'the end of the import has the row',
  'statements.hold': 'it says that an import goes on',
  'statements.addRows': 'the end of the import has the row',
  'statements.finish': audited(
    'statement.import',
    ({ storage }) => begunStatement(storage, CLIENT),
    ({ statements }, by, id) => statements.finish(by, id, { version: 0, summary: NO_SUMMARY }, AT),
  ),
  'statements.abandon': 'nobody has seen the import',
  'statements.removeDead': 'it deletes what nobody has seen',
  'statements.collect': 'it copies payments, which are their own record',
  'statements.storeOutcomes': 'it follows from rows and payments',
  'statements.settle': 'it follows from rows and payments',
  'statements.decide': audited(
    'statement.decide',
    ({ storage }) => storedStatement(storage, CLIENT),
    ({ statements }, by, statementId) => statements.decide(by, { statementId, n: 1 }, 'none', AT),
  ),
  'statements.sign': audited(
    'statement.sign',
    async ({ storage }) => {
      const statementId = await storedStatement(storage, CLIENT)
      const found = await storage.statements.find(CLIENT, statementId)
      const { version } = await storage.statements.state(found?.accountId ?? '')
      return {
        signOff: { id: `s ${statementId}`, statementId, at: AT, note: '', hash: 'h', snapshot: '{}' },
        version,
      }
    },
    ({ statements }, by, { signOff, version }) => statements.sign(by, signOff, version),
  ),
} as const
