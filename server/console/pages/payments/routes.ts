import type { Route } from '../../parts/visit.ts'
import { paymentDetail } from './detail.ts'
import { paymentList } from './list.ts'

/** All payments, and each of them. */
export const paymentPages: readonly Route[] = [paymentList, ...paymentDetail]
