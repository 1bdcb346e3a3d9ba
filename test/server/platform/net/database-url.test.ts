import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { databaseUrlMistake, serversOf } from '../../../../server/platform/net/database-url.ts'
import { temporaryFolder } from '../../../support/folder.ts'

it('has an address for each host, in their order', () => {
  expect(serversOf('postgres://hub:p%40ss@db-1:5432,db-2,[::1]:5433/hub?sslmode=verify-full')).toEqual([
    'postgres://hub:p%40ss@db-1:5432/hub?sslmode=verify-full',
    'postgres://hub:p%40ss@db-2/hub?sslmode=verify-full',
    'postgres://hub:p%40ss@[::1]:5433/hub?sslmode=verify-full',
  ])
  expect(serversOf('postgresql://db-1/hub')).toEqual(['postgresql://db-1/hub'])
})

it.each([
  '',
  'db-1',
  'mysql://db-1/hub',
  'postgres://db-1',
  'postgres:///hub',
  'postgres://db-1,/hub',
  'postgres://db-1:x/hub',
  'postgres://hub:a/b@db-1/hub',
])('refuses %j, and does not repeat it', (url) => {
  expect(databaseUrlMistake(url)).toMatch(/^must have the form/)
})

it('refuses to go without the check of the certificate, and files that are not there', () => {
  const file = join(temporaryFolder(), 'ca.pem')
  writeFileSync(file, '')
  const mistake = (query: string) => databaseUrlMistake(`postgres://db-1/hub?${query}`)
  expect(mistake('sslmode=require')).toBe('takes sslmode disable or verify-full only')
  expect(mistake('sslmode=verify-full&sslrootcert=/none')).toBe(
    'names a file in sslrootcert that does not exist',
  )
  expect(mistake(`sslmode=verify-full&sslrootcert=${file}`)).toBeUndefined()
  expect(mistake('sslmode=disable')).toBeUndefined()
})
