import { encode } from 'cborg'
import { Key } from 'interface-datastore'
import type { Records } from '@ipfsz/shared-store/records'

/** Put records, encoded in CBOR. Returns the errors of those that could not be stored, by key. */
export async function putRecords (
  datastore: Pick<Records, 'putEach'>,
  values: Iterable<readonly [key: string, value: unknown]>
): Promise<Map<string, Error>> {
  const records = Array.from(values, ([key, value]) => ({ key: new Key(key), value: encode(value) }))
  const errors = await datastore.putEach(records)

  return new Map(records.flatMap(({ key }, i) => errors[i] == null ? [] : [[key.toString(), errors[i]]]))
}
