import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OnEnd, temporaryFolder } from '../folder.ts'

const KEYS = {
  ec: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
  rsa: ['-newkey', 'rsa:2048'],
} as const
export type KeyKind = keyof typeof KEYS

/** A certificate authority in a temporary folder. Needs OpenSSL. */
export function makeAuthority(onEnd?: OnEnd, kind: KeyKind = 'ec', subject = '/O=Soundbox/CN=Test CA') {
  const folder = temporaryFolder(onEnd)
  const [certFile, keyFile] = [join(folder, 'ca.pem'), join(folder, 'ca.key')]
  openssl([
    'req',
    '-x509',
    ...KEYS[kind],
    '-nodes',
    '-days',
    '30',
    '-subj',
    subject,
    '-keyout',
    keyFile,
    '-out',
    certFile,
  ])
  let count = 0

  return {
    certFile,
    cert: readFileSync(certFile, 'utf8'),
    /** A certificate for names such as `DNS:hub.example`, for 10 days. */
    issue(names: string, own: KeyKind = kind) {
      count += 1
      const at = (end: string) => join(folder, `${count}.${end}`)
      openssl([
        'req',
        '-new',
        ...KEYS[own],
        '-nodes',
        '-subj',
        '/CN=hub',
        '-keyout',
        at('key'),
        '-out',
        at('csr'),
      ])
      writeFileSync(at('ext'), `subjectAltName=${names}\n`)
      openssl([
        ...['x509', '-req', '-in', at('csr'), '-CA', certFile, '-CAkey', keyFile, '-CAcreateserial'],
        ...['-days', '10', '-extfile', at('ext'), '-out', at('pem')],
      ])
      const [cert, key] = [readFileSync(at('pem'), 'utf8'), readFileSync(at('key'), 'utf8')]
      return { certFile: at('pem'), keyFile: at('key'), cert, key }
    },
  }
}

function openssl(args: string[]) {
  const { status, error, stderr } = spawnSync('openssl', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`openssl ${args[0]} has failed: ${error?.message ?? stderr}`)
}
