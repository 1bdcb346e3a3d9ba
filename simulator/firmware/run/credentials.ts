import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseKey } from '../../../protocol/keys.ts'
import { messageOf } from '../../platform/error-text.ts'
import { CannotStart } from '../../platform/errors.ts'
import { checkDataFolder } from '../../run/fleet/devices/data-folder.ts'
import { runHubCommand } from '../../run/hub/hub-command.ts'
import { mintedDevice } from '../../run/hub/hub-process.ts'

/** The device that is minted when no serial is given. */
export const OWN_SERIAL = 'FIRMWARE-0001'

/**
 * The key of the own device: of its file in `folder`, or of a new device in the hub's data folder. Throws `CannotStart`
 * when that folder is not the one of the hub at `url`.
 */
export async function ownKey(folder: string, url: string, env: NodeJS.ProcessEnv): Promise<Uint8Array> {
  const file = join(folder, `${OWN_SERIAL}.key`)
  if (existsSync(file)) {
    const key = parseKey(readFileSync(file, 'utf8').trim())
    if (!key) throw new CannotStart(`${file} has no key: give --serial and --key.`)
    return key
  }
  checkDataFolder(env, url, 'give --serial and --key')
  try {
    const minted = await runHubCommand(env, ['device', 'add', '--serial', OWN_SERIAL])
    const { key, keyText } = mintedDevice.parse(JSON.parse(minted))
    writeFileSync(file, `${keyText}\n`, { mode: 0o600 })
    return key
  } catch (error) {
    throw new CannotStart(
      `The hub mints no device ${OWN_SERIAL}: ${messageOf(error)}. Give --serial and --key of another one.`,
    )
  }
}
