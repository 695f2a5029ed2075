import tseslint from "typescript-eslint";

const inTheHostOnly = {
  patterns: [
    { group: ["vscode", "node:*", "fs", "path", "child_process"], message: "The view runs in a browser frame." },
    { group: ["**/src/*", "!**/src/protocol", "!**/src/chat", "**/src/chat/*", "!**/src/chat/messages"], message: "The view knows the protocol only." },
  ],
};

export default tseslint.config(
  { ignores: ["dist/**", "node_modules/**", "src/protocol.ts", "**/*.mjs"] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: ["./tsconfig.json", "./tsconfig.webview.json", "./tsconfig.tests.json"],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true }],
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "no-console": "error",
      eqeqeq: "error",
    },
  },
  { files: ["webview/**"], rules: { "no-restricted-imports": ["error", inTheHostOnly] } },
  {
    files: ["tests/**"],
    rules: {
      // node:test's functions return promises that its runner awaits.
      "@typescript-eslint/no-floating-promises": "off",
      "@typescript-eslint/no-non-null-assertion": "off",
    },
  },
);
