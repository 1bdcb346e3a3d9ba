import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The addresses and keys with which a person can try the demo's hub by hand. */
export interface Keys {
  http: string
  mqtt: string
  clientId: string
  clientSecret: string
  accessToken: string
  serial: string
  key: string
}

/** Writes the keys as shell variables, which keeps the commands short. Returns the file's path. */
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

/**
 * Commands to try while the demo runs, as a page. No line is wider than 60 columns (with a short folder name), so that
 * each can be copied whole.
 */
export function pageLines(keys: Keys, keysFile: string): string[] {
  return [
    'While this runs, in another terminal, from this folder:',
    '',
    `. ${keysFile}`,
    'curl -X POST $HUB/auth/token -u $CLIENT_ID:$CLIENT_SECRET',
    'curl $HUB/device/$SERIAL -H "Authorization: Bearer $TOKEN"',
    'npm run -s hub -- pay --client $CLIENT_ID \\',
    '  --terminal TILL-01 --bank MB --amount 85000',
    'npm run -s hub -- listen --client $CLIENT_ID',
    '',
    `docs    ${keys.http}/docs`,
    `mqtt    ${keys.mqtt}`,
    `client  ${keys.clientId}`,
    `secret  ${keys.clientSecret}`,
    `device  ${keys.serial}`,
    `key     ${keys.key}`,
  ]
}

/** The next steps after the demo, as commands that work unchanged: a hub that stays, at the addresses of this one. */
export function afterwardsLines({ http, mqtt, clientId, serial }: Omit<Keys, 'accessToken'>): string[] {
  const [httpPort, mqttPort] = [new URL(http).port, new URL(mqtt).port]
  return [
    `The hub of this run ends here, with partner ${clientId}`,
    `and speaker ${serial}.`,
    'For another one with its speaker on the screen:',
    '  npm run demo',
    'Or step by step, first a hub that stays, at the same addresses',
    `(its pages: ${http}/docs):`,
    `  HUB_HTTP_PORT=${httpPort} HUB_MQTT_PORT=${mqttPort} npm start`,
    'then in another terminal, from this folder, a partner, its access token,',
    'and a device:',
    "  CLIENT=$(npm run -s hub -- partner create --name Me --json | grep -o 'sb[cs]_[^\"]*' | paste -sd: -)",
    `  curl -X POST ${http}/api/v1/partner/auth/token -u $CLIENT`,
    `  npm run -s hub -- device add --serial ${serial}`,
    `and with the key that it prints, the speaker (${mqtt}):`,
    `  npm run -s simulator -- --serial ${serial} --key KEY`,
  ]
}
