import { cursor, example, story } from './story.ts'

const statementId = '01a1fe2b-90d1-71aa-8c2f-0d2e6a7b9c10'
const DAY = { date: '2026-11-20', zone: 'Asia/Ho_Chi_Minh' }
const none = { count: 0, credit: '0', debit: '0' }
const nothing = { count: 0, amount: '0' }
const amount = story.transactionAmount

const sums = {
  bank: {
    ...{ count: 1, credit: amount, debit: '0', matched: { count: 1, credit: amount, debit: '0' } },
    ...{ differs: none, bank_only: none, undecided: none, repeated: none, reversed: none, other: none },
  },
  hub: {
    ...{ count: 1, amount, matched: { count: 1, amount } },
    ...{ differs: nothing, reversed: nothing, undecided: nothing, hub_only: nothing },
  },
}
const balanced = { balanced: true, unbalanced: [] }

const statement = {
  ...{
    id: statementId,
    account: story.bankAccountNumber,
    state: 'open' as const,
    format: 'camt.053' as const,
  },
  ...{ profile: null, sha256: 'f11da07bcaff5e7c732666cc00502140e22be8d510834123663bd1196aa4f575' },
  ...{ from: DAY.date, to: DAY.date, zone: DAY.zone, rows: 1, opening: '1000000', closing: '1050000' },
  importedAt: '2026-11-21T01:00:00.000Z',
  ...sums,
  ...balanced,
  ...{ signOffs: [], changedSince: false },
}

const row = {
  ...{ n: 1, date: DAY.date, at: '2026-11-20T03:15:30.000Z', direction: 'credit' as const, amount },
  ...{
    references: [story.ftCode],
    text: story.billNumber,
    bucket: 'matched' as const,
    rule: 'reference' as const,
  },
  ...{
    paymentId: story.paymentId,
    proposedPaymentId: null,
    otherRow: null,
    decidedBy: null,
    decidedAt: null,
  },
}

export const statementCsv = [
  'date,amount,reference,text',
  `${DAY.date},${amount},${story.ftCode},${story.billNumber}`,
  '',
].join('\n')

export const statementXml = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
  <GrpHdr><MsgId>1</MsgId></GrpHdr>
  <Stmt>
    <Id>1</Id>
    <Acct><Id><Othr><Id>${story.bankAccountNumber}</Id></Othr></Id></Acct>
    <Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="VND">1000000</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>
    <Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="VND">1050000</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>
    <Ntry>
      <Amt Ccy="VND">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
      <BookgDt><DtTm>${story.payDate}</DtTm></BookgDt>
      <NtryDtls><TxDtls>
        <Refs><TxId>${story.ftCode}</TxId></Refs><RmtInf><Ustrd>${story.billNumber}</Ustrd></RmtInf>
      </TxDtls></NtryDtls>
    </Ntry>
  </Stmt>
</BkToCstmrStmt></Document>
`

/** The operations on statements: requests, responses, and the `details` of errors. */
export const statementExamples = {
  importStatement: {
    csv: statementCsv,
    xml: statementXml,
    answer: { imported: example('The one row is matched', statement) },
    errors: {
      VALIDATION_FAILED: { profile: 'is not the name of a saved profile' },
      STATEMENT_UNREADABLE: { 'line 17': 'the date is not dd/mm/yyyy' },
      STATEMENT_KNOWN: { id: statementId },
    },
  },
  listStatements: {
    answer: {
      page: example('One statement; there are more', { data: [statement], next: cursor }),
      end: example('No statement yet', { data: [], next: null }),
    },
  },
  getStatement: { answer: { balanced: example('Balanced, and not signed off yet', statement) } },
  statementRows: {
    answer: {
      page: example('One row; there are more', { data: [row], next: cursor }),
      end: example('No row is in the bucket', { data: [], next: null }),
    },
    csv: [
      'n,date,at,direction,amount,reference,text,bucket,rule,paymentId,proposedPaymentId,otherRow,decidedBy,decidedAt',
      `1,${DAY.date},2026-11-20T10:15:30.000+07:00,credit,${amount},${story.ftCode},${story.billNumber},matched,reference,${story.paymentId},,,,`,
      '# rows,1',
      '',
    ].join('\r\n'),
  },
  reconcileDay: {
    answer: {
      day: example('The one payment of the day has come', {
        ...DAY,
        data: [{ account: story.bankAccountNumber, ...sums, ...balanced, statements: [statementId] }],
      }),
    },
    csv: [
      'account,bucket,rows,credit,debit,payments,amount,balanced,date,zone',
      `${story.bankAccountNumber},matched,1,${amount},0,1,${amount},true,${DAY.date},${DAY.zone}`,
      '# rows,1',
      '',
    ].join('\r\n'),
    errors: { VALIDATION_FAILED: { date: 'must be a date: YYYY-MM-DD' } },
  },
}
