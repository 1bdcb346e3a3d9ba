import type { CallOptions } from '../calls/options.ts'
import { DeviceOperations } from './devices.ts'
import { rowsOf } from './lists.ts'
import type { Body, Query, Rows } from './sender.ts'

/** Stores, and the bills on the screens of their speakers. */
export class StoreOperations extends DeviceOperations {
  /** Shows a bill's QR on the screens of its store. */
  createDynamicQr(body: Body<'createDynamicQr'>, options?: CallOptions) {
    return this.send('createDynamicQr', { body }, options)
  }

  /** A page of stores. `stores` goes through all. */
  listStores(query?: Query<'listStores'>, options?: CallOptions) {
    return this.send('listStores', { query }, options)
  }

  /** All stores, newest first. */
  stores(query: Query<'listStores'> = {}, options?: CallOptions): Rows<'listStores'> {
    return rowsOf(query, (page) => this.listStores(page, options))
  }

  getStore(storeId: string, options?: CallOptions) {
    return this.send('getStore', { path: { storeId } }, options)
  }

  updateStore(storeId: string, body: Body<'updateStore'>, options?: CallOptions) {
    return this.send('updateStore', { path: { storeId }, body }, options)
  }
}
