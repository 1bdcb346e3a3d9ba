import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OnEnd, temporaryFolder } from '../folder.ts'

/** A certificate and its key, in files and as their PEM text. */
export interface Certificate {
  certFile: string
  keyFile: string
  cert: string
  key: string
}

/** Makes a certificate for a name that is its own authority, in a temporary folder. Needs OpenSSL. */
export function makeCertificate(onEnd?: OnEnd, name = 'IP:127.0.0.1'): Certificate {
  const folder = temporaryFolder(onEnd)
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const { status, error, stderr } = spawnSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '2', '-subj', `/CN=${name.split(':')[1]}`, '-addext', `subjectAltName=${name}`],
      ...['-keyout', keyFile, '-out', certFile],
    ],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`openssl made no certificate: ${error?.message ?? stderr}`)
  return { certFile, keyFile, cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
}
