import { describe, expect, it } from 'vitest'
import { hideGivenIn, hidePlaceSecrets, hideSecrets, hideSecretsIn } from '../src/hide-secrets.ts'

const SECRET = 's3cr3t'

it.each([
  ['http://user:s3cr3t@host:8080/path', 'http://***@host:8080/path'],
  ['HTTPS://user:s3cr3t@host', 'HTTPS://***@host'],
  ['https://s3cr3t@host', 'https://***@host'],
  ['https://s3cr3t:x-oauth-basic@host/', 'https://***@host/'],
  ['ftp://u:s3cr3t@x/', 'ftp://***@x/'],
  ['S3://AKIA:s3cr3t@bkt/p', 'S3://***@bkt/p'],
  ['s3:AKIA:s3cr3t@bkt', 's3:***@bkt'],
  ['http:\\\\u:s3cr3t@host', 'http:\\\\***@host'],
  ['user:s3cr3t@host', '***@host'],
  ['s3cr3t:@host', '***@host'],
  ['s3cr3t@host', '***@host'],
  // an unencoded password may have any character
  ['http://u:s3cr3t/+s3cr3t?s3cr3t#s3cr3t@s3cr3t@host/p', 'http://***@host/p'],
  ['http://u:s3cr3t\ns3cr3t@host', 'http://***@host'],
  ['http://AKIA:s3cr3t/bucket', 'http://AKIA:***/bucket'],
  ['http://127.0.0.1:9/?token=s3cr3t', 'http://127.0.0.1:9/?***'],
  ['http://127.0.0.1:9/?s3cr3t', 'http://127.0.0.1:9/?***'],
  ['http://host/#s3cr3t', 'http://host/#***'],
  ['http://host/a;token=s3cr3t/b', 'http://host/a;token=***/b'],
  ['http://host/a;jsessionid=s3cr3t?x', 'http://host/a;jsessionid=***'],
  ['http:/host/PHPSESSID=s3cr3t', 'http:/host/PHPSESSID=***'],
  ['http://host/X-Amz-Signature=s3cr3t', 'http://host/X-Amz-Signature=***'],
  ['http%3A%2F%2Fu%3As3cr3t%40host', '***@host'],
  ['http://u%3As3cr3t%2540host', 'http://***@host'],
  ['http://host/%3Ftoken=s3cr3t', 'http://host/%3F***'],
  ['/dns4/u:s3cr3t@host/tcp/5001', '/dns4/***@host/tcp/5001'],
  ['/dns4/host/tcp/443/https/http-path/a%3Ftoken%3Ds3cr3t', '/dns4/host/tcp/443/https/http-path/a%3F***'],
  ['//u:s3cr3t@host/p', '//***@host/p'],
  ['localhost:s3cr3t', 'localhost:***']
])('hides what may be a secret in %j', (text, shown) => {
  expect(hideSecrets(text)).toBe(shown)
})

it.each([
  'http://127.0.0.1:8080/gateway/', 'https://[::1]:443', 'localhost:5001', '127.0.0.1', '/ip6/::1/tcp/4001/p2p/12D3Koo',
  'fd00::/129', '::1', '2001:db8::1%eth0', 'nonsense', ''
])('leaves %j as it is', text => {
  expect(hideSecrets(text)).toBe(text)
})

describe('what may be a path', () => {
  it.each([
    '/srv/a@b:c@d/e?f#g', './a:b@c', '../x', 'C:data', 'photos@home/x', 'bafyqaaa/a@b?c', 'repo?', '/ip4/127.0.0.1'
  ])('leaves %j as it is', text => {
    expect(hidePlaceSecrets(text)).toBe(text)
  })

  it.each(['ftp://u:s3cr3t@host/', 'u:s3cr3t@host', '//u:s3cr3t@host', 'https://host/?k=s3cr3t', 'u%3As3cr3t%40host'])('hides in %j', text => {
    expect(hidePlaceSecrets(text)).not.toContain(SECRET)
  })
})

it('hides in a message what a URL in it shows', () => {
  expect(hideSecretsIn('no http://u:s3cr3t@h/p?a=1&X-Token=s3cr3t: "S3://K:s3cr3t@b", me@example.com <wss://s3cr3t@h>'))
    .toBe('no http://***@h/p?a=1&X-Token=*** "S3://***@b", me@example.com <wss://***@h>')
  expect(hideSecretsIn('/home/s3:/u:s3cr3t@bucket: no such file, C:/a@b, /x/a:/b@c'))
    .toBe('/home/s3:/***@bucket: no such file, C:/a@b, /x/a:/b@c')
})

it.each([
  ['//u:s3cr3t@h', '//u:s3cr3t@h: no such file', '//***@h: no such file'],
  ['//u:s3cr3t@h', '/u:s3cr3t@h: no such file', '/***@h: no such file'],
  ['u:s3cr3t@host:80', 'no repo in /home/me/u:s3cr3t@host:80/x', 'no repo in /home/me/***@host:80/x'],
  ['--repo=u:s3cr3t@host:80', 'no repo in /home/me/u:s3cr3t@host:80', 'no repo in /home/me/***@host:80'],
  ['http://127.0.0.1:9/?k=s3cr3t', 'no repo in /a/http:/127.0.0.1:9/?k=s3cr3t', 'no repo in /a/http:/127.0.0.1:9/?***'],
  ['http://s3cr3t@h:9/', 'no repo in /a/http:/s3cr3t@h:9', 'no repo in /a/http:/***@h:9'],
  ['a@b', '/a@b: no such file', '/a@b: no such file']
])('hides what was given as %j in %j', (given, message, shown) => {
  expect(hideGivenIn(message, ['add', given])).toBe(shown)
})
