/** Response headers of everything the window loads. The page runs only its own files; a report runs no script at all. */

const shared = ["base-uri 'none'", "form-action 'none'", "object-src 'none'"]

export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "frame-ancestors 'none'",
  ...shared,
].join('; ')

/** `sandbox` without `allow-scripts` or `allow-same-origin`: a report from an imported study cannot reach the bridge. */
export const reportPolicy = [
  'sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "frame-ancestors 'self'",
  ...shared,
].join('; ')

/** A file to be saved: nothing in it may run, whatever a browser makes of it. */
export const exportPolicy = ['sandbox', "default-src 'none'", "frame-ancestors 'none'", ...shared].join('; ')

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.csv': 'text/csv; charset=utf-8',
  '.pdf': 'application/pdf',
  '.tex': 'application/x-tex',
  '.txt': 'text/plain; charset=utf-8',
}

export function headersFor(extension: string, policy: string): Record<string, string> {
  return {
    'content-type': contentTypes[extension] ?? 'application/octet-stream',
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  }
}
