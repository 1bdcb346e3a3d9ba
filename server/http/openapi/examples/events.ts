import { example, story } from './story.ts'

const { paymentId, ftCode, traceTransfer, storeId, terminalID, transactionAmount, deviceSerial } = story

export const eventExamples = {
  readEvents: {
    answer: {
      played: example('The speaker has said the amount', {
        data: [
          {
            ...{ id: story.eventId, seq: story.seq, type: 'announcement.played' as const },
            timestamp: '2026-11-20T03:15:34.050Z',
            data: {
              ...{
                paymentId,
                ftCode,
                traceTransfer,
                storeId,
                terminalID,
                transactionAmount,
                deviceSerial,
                n: 41,
              },
              times: {
                queued: '2026-11-20T03:15:31.120Z',
                sent: '2026-11-20T03:15:31.131Z',
                received: '2026-11-20T03:15:31.190Z',
                played: '2026-11-20T03:15:34.050Z',
              },
            },
          },
        ],
        next: story.seq,
      }),
      nothing: example('Nothing new', { data: [], next: story.seq }),
    },
    errors: {
      EVENTS_GONE: {
        after:
          'events behind it were deleted, and the oldest event that is kept has the seq 1795231000000000: leave after out to go on with what is kept',
      },
    },
  },
}
