import { dueLimits, expiriesOfQueued } from '../announcements/expiry.ts'
import { reconcile } from '../announcements/reconcile.ts'
import { chooseScreen } from '../announcements/screen.ts'
import { STAGES, stagesBefore } from '../announcements/stages.ts'
import { CODES_COMPARED, countCode, judgeCode } from '../devices/verification-code.ts'
import { FAMILY_KEPT_MS, judgeRefresh } from '../partners/rotation.ts'
import { endingSecrets, liveSecrets } from '../partners/secrets.ts'
import { settle } from '../payments/settle.ts'
import { catchUpSettings, isPending, languageAfterBirth, planSettings } from '../settings/settings.ts'
import type { StorageIds, StorageRules } from './ports.ts'

/** The rules of the nouns, as every storage applies them. */
export function hubRules(ids: StorageIds): StorageRules {
  return {
    settle: (payment, found) => settle(payment, found, ids),
    planSettings,
    catchUpSettings,
    isPending,
    languageAfterBirth,
    judgeCode,
    countCode,
    codesCompared: CODES_COMPARED,
    judgeRefresh,
    familyKeptMs: FAMILY_KEPT_MS,
    liveSecrets,
    endingSecrets,
    stages: STAGES,
    stagesBefore,
    reconcile,
    dueLimits,
    expiriesOfQueued,
    chooseScreen,
  }
}
