import { expect, it } from 'vitest'
import { addressesOf, PLAIN } from './filled.ts'
import { expectNoNewTags } from './hostile.ts'
import { tagsOf } from './tree.ts'

// test/whole/server/console/hostile.test.ts runs more.
it('no text of a partner, a device or a processor adds an element or an attribute to any page', () =>
  expectNoNewTags(4))

it.each([
  ['<p class="a>b" id=x>a &lt;b&gt; < c</p>', ['<p class id>', '</p>']],
  ['<p title="a" onx="b">', ['<p title onx>']],
  [`<p title=''onx=b>`, ['<p title onx>']],
  ['<title><b></title><b>', ['<title>', '</title>', '<b>']],
  ['<!-- <b> -->', ['<!>', '<b>']],
  ['<input value=a/b disabled/>', ['<input value disabled>']],
])('the tags of %s', (html, tags) => {
  expect(tagsOf(html)).toEqual(tags)
})

it('a page of a route whose address is not known here fails', () => {
  const filled = {
    boxSerial: '',
    serial: 'SB-1',
    paymentId: 'p',
    webhookId: 'w',
    statementId: 's',
    texts: PLAIN,
  }
  expect(() => addressesOf([{ method: 'GET', path: '/new' }], filled)).toThrow('no address for /new')
})
