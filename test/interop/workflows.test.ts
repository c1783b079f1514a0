/** @module-tag nightly */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ACTIONLINT = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12'

it('has workflows in which actionlint finds nothing wrong', () => {
  const { status, stdout, stderr } = spawnSync('go', ['run', ACTIONLINT], {
    cwd: join(import.meta.dirname, '../..'), encoding: 'utf8'
  })

  expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' })
})
