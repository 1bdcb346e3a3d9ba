import type { Route } from '../../parts/visit.ts'
import { webhookDetail } from './detail.ts'
import { webhookList } from './list.ts'

/** The endpoints of all partners, and each of them. */
export const webhookPages: readonly Route[] = [webhookList, ...webhookDetail]
