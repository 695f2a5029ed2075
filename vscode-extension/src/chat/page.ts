// The page of the chat view. Nothing is loaded from anywhere but the extension, and only its own script runs.
export interface PageParts {
  nonce: string;
  /** Where the extension's own files come from. */
  source: string;
  script: string;
  style: string;
  language: string;
}

export function chatPage({ nonce, source, script, style, language }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `style-src ${source}`,
    `font-src ${source}`,
    `script-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
<title>Pollux</title>
</head>
<body>
<div id="chat"></div>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}
