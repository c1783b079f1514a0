import { openCar } from '../src/car/car.ts'
import { carParams } from '../src/request/car-params.ts'
import { collect, readCar, SIGNAL } from './dag-fixtures.ts'
import type { Store } from './dag-fixtures.ts'
import type { CID } from 'multiformats/cid'

/** The parameters of a CAR of everything. */
export const ALL = carParams(new URLSearchParams())

export interface Car {
  root: string
  cids: string[]
}

/** The CAR of a path, with the parameters of a query. */
export async function carOf (cid: CID, { blockstore }: Store, query = '', path = ''): Promise<Car> {
  const names = path.split('/').filter(Boolean)
  const car = await openCar(cid, names, carParams(new URLSearchParams(query)), { blocks: blockstore, signal: SIGNAL })

  return readCar(await collect(car.bytes))
}

/** The CID of an entry. */
export async function entryOf (cid: CID, name: string, { fs }: Store): Promise<CID> {
  const { cid: found } = await fs.stat(cid, { path: name })

  return found
}
