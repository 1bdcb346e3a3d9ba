import { OperatorError } from '../../platform/errors.ts'
import { createVault, isSame } from '../../security/vault.ts'
import { done, type Outcome } from './output.ts'
import type { IdleFolder } from './workspace.ts'

const SET_NOW = 'Set HUB_MASTER_KEY to the value of HUB_NEXT_MASTER_KEY now, and unset the latter.'
const KEEP = 'Backups made before the rotation need the old key: keep it with them.'
const MAKE_ROOM =
  'The database file still contains values sealed under the old key, because it could not be rewritten: make room for two more copies of it; the next start tries again.'

/**
 * Seals everything in the database under a new master key. If the key is a file, the command creates the new one. If it
 * is in the environment, the new one must be there too, because the command cannot change how the hub is started.
 */
export function masterKeyRotate(idle: IdleFolder): Outcome {
  const { masterKey, nextMasterKey } = idle.config
  if (masterKey) return rotateInEnvironment(idle, masterKey, nextMasterKey)
  if (nextMasterKey)
    throw new OperatorError(
      'HUB_NEXT_MASTER_KEY is used only with HUB_MASTER_KEY: unset it, and the command creates a new key file, or set HUB_MASTER_KEY to the present key.',
    )
  return rotateFile(idle)
}

function rotateFile({ folder: { keys }, rotateMasterKey }: IdleFolder): Outcome {
  const rotation = rotateMasterKey({
    prepare: () => createVault(keys.prepareNext()),
    adopt: () => keys.adoptNext(),
  })
  const { file: keyFile, previousFile: previousKeyFile } = keys
  const files = [`  key      ${keyFile}`, `  old key  ${previousKeyFile}`]
  return rotated({ keyFile, previousKeyFile }, rotation, files, [KEEP])
}

function rotateInEnvironment(idle: IdleFolder, masterKey: Buffer, next: Buffer | undefined): Outcome {
  if (!next)
    throw new OperatorError(
      'HUB_NEXT_MASTER_KEY is not set: as the master key comes from HUB_MASTER_KEY, set it to the new key (openssl rand -base64 32).',
    )
  if (isSame(masterKey, next))
    throw new OperatorError(
      'HUB_NEXT_MASTER_KEY is the same as HUB_MASTER_KEY: set it to another key (openssl rand -base64 32).',
    )
  if (idle.isSealedUnder(next))
    return done(
      { rotated: false, keyFile: null, todo: [SET_NOW] },
      `The database is already sealed under the next key. ${SET_NOW}`,
    )
  const rotation = idle.rotateMasterKey({ prepare: () => createVault(next), adopt: () => undefined })
  return rotated({ keyFile: null, previousKeyFile: null }, rotation, [], [SET_NOW, KEEP])
}

function rotated(
  files: { keyFile: string | null; previousKeyFile: string | null },
  rotation: ReturnType<IdleFolder['rotateMasterKey']>,
  lines: string[],
  todo: string[],
): Outcome {
  const { resealed, codesEnded, scrubbed } = rotation
  const rows = Object.values(resealed).reduce((sum, count) => sum + count, 0)
  const all = scrubbed ? todo : [...todo, MAKE_ROOM]
  const sentence = `The master key is rotated: ${rows} rows are sealed under the new one, ${codesEnded} outstanding verification codes are void.`
  return done({ rotated: true, ...files, ...rotation, todo: all }, sentence, ...lines, ...all)
}
