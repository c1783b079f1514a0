import { ORIGINAL_LAYOUTS } from '@ipfsz/core/originals'
import { expect, it } from 'vitest'
import { ORIGINAL_LAYOUTS as OPTIONS } from '../src/program/program-originals.ts'

it('the layouts that options take are those of core', () => {
  expect(OPTIONS).toEqual(ORIGINAL_LAYOUTS)
})
