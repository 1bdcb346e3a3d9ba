import { existsSync } from 'node:fs'

const FORM = /^(postgres(?:ql)?):\/\/(?:([^/?#]*)@)?([^/?#@]+)\/([^/?#]+)(\?[^#]*)?$/
const FILES = ['sslrootcert', 'sslcert', 'sslkey'] as const
/** All that check the certificate, or nothing: in between, anybody on the way can read and change what is sent. */
const SSL_MODES = ['disable', 'verify-full']

/** The servers of a HUB_DATABASE_URL: an address each, in their order. Empty when it has another form. */
export function serversOf(url: string): string[] {
  const [, scheme, user, hosts = '', database, query = ''] = FORM.exec(url) ?? []
  const servers = hosts
    .split(',')
    .map((host) => `${scheme}://${user === undefined ? '' : `${user}@`}${host}/${database}${query}`)
  return servers.every((server) => URL.canParse(server) && new URL(server).hostname !== '') ? servers : []
}

/** What is wrong with a HUB_DATABASE_URL. It does not repeat the URL, which may hold a password. */
export function databaseUrlMistake(url: string): string | undefined {
  const [server] = serversOf(url)
  if (server === undefined)
    return 'must have the form postgres://user:password@host:5432/database, several hosts with commas between them, special characters of the password as %XX'
  const { searchParams } = new URL(server)
  const mode = searchParams.get('sslmode')
  if (mode !== null && !SSL_MODES.includes(mode)) return `takes sslmode ${SSL_MODES.join(' or ')} only`
  const lost = FILES.find((name) => searchParams.has(name) && !existsSync(searchParams.get(name) ?? ''))
  return lost && `names a file in ${lost} that does not exist`
}
