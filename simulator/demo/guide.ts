import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a person needs to go on by hand, while the demo's hub runs. */
export interface Keys {
  http: string
  mqtt: string
  clientId: string
  clientSecret: string
  accessToken: string
  serial: string
  key: string
}

/** Writes the keys as shell variables, so that the lines to try stay short; answers the file. */
export function writeKeys(folder: string, keys: Keys): string {
  const file = join(folder, 'demo.env')
  const variables = {
    HUB: `${keys.http}/api/v1/partner`,
    CLIENT_ID: keys.clientId,
    CLIENT_SECRET: keys.clientSecret,
    TOKEN: keys.accessToken,
    SERIAL: keys.serial,
    KEY: keys.key,
    HUB_DATA_DIR: folder,
  }
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`)
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  return file
}

/** The lines to show: where things are, and what to type; without `keysFile` the hub is about to end. */
export function guideLines(keys: Keys, keysFile?: string): string[] {
  const where = [
    `client id      ${keys.clientId}`,
    `client secret  ${keys.clientSecret}`,
    `device         ${keys.serial}`,
    `device key     ${keys.key}`,
    `documentation  ${keys.http}/docs`,
    `speakers       ${keys.mqtt}`,
  ]
  const lead =
    keysFile === undefined
      ? ['Such lines work, with its own keys, while npm run demo runs without --once:']
      : ['While this runs, in another terminal, from this folder:', `  . ${keysFile}`]
  const tries = [
    'curl -s $HUB/auth/token -u $CLIENT_ID:$CLIENT_SECRET -X POST',
    'curl -s $HUB/device/$SERIAL -H "Authorization: Bearer $TOKEN"',
    'npm run -s hub -- pay --client $CLIENT_ID --terminal TILL-01 --bank MB --amount 85000',
  ]
  return [...where, ...lead, ...tries.map((line) => `  ${line}`)]
}
