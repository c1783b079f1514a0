import { env } from 'node:process'
import { readProfile } from '../credentials/profile.ts'
import { checkEndpoint, checkRegion } from '../s3-url.ts'
import type { S3ObjectsInit } from '../contract.ts'

/** Where requests go. */
export interface Settings {
  /** Origins, the preferred one first. */
  endpoints: string[]
  region: string
  pathStyle: boolean
}

type SettingsInit = Pick<S3ObjectsInit, 'credentials' | 'endpoints' | 'pathStyle' | 'profile' | 'region'>

function fromEnvironment (...names: string[]): string | undefined {
  return names.map(name => env[name]).find(Boolean)
}

const DEFAULT_REGION = 'us-east-1'

/**
 * Settle where requests go, from options, the environment and a profile, in this order.
 *
 * @throws {S3UrlError}
 */
export async function findSettings (init: SettingsInit): Promise<Settings> {
  let endpoints: readonly string[] = init.endpoints ?? []
  let region = init.region

  if (endpoints.length === 0) {
    endpoints = [fromEnvironment('AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL')].filter(url => url != null)
  }

  region ??= fromEnvironment('AWS_REGION', 'AWS_DEFAULT_REGION')

  if (region == null || endpoints.length === 0) {
    const profile = await readProfile(init.profile)
    region ??= profile.region

    if (endpoints.length === 0 && profile.endpoint != null) {
      endpoints = [profile.endpoint]
    }
  }

  region = checkRegion(region ?? DEFAULT_REGION)

  return endpoints.length > 0
    ? { endpoints: endpoints.map(checkEndpoint), region, pathStyle: init.pathStyle ?? true }
    : { endpoints: [`https://s3.${region}.amazonaws.com`], region, pathStyle: init.pathStyle ?? false }
}
