/** Run in a browser and in Node, so that what each gives is compared with what the other gives. */
import { describe, expect, it } from 'vitest'
import { computeDeterministic } from '../support/deterministic.ts'
import { VALUES } from '../support/deterministic-values.ts'
import type { CodecName } from '@ipfsz/codecs'

describe('a deterministic codec', () => {
  it.each(Object.keys(VALUES) as CodecName[])('%s gives the same CIDs and frames on every platform', async codec => {
    expect(await computeDeterministic(codec)).toEqual(VALUES[codec])
  })
})
