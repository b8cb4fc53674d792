import { lookup } from "../lookup.ts";

/** Programs that are test runners, linters or type checkers whatever their arguments. */
const always = new Set(
  (
    "pytest py.test tox nox jest vitest mocha ava tap playwright cypress karma eslint oxlint biome prettier stylelint tsc " +
    "mypy pyright ruff flake8 pylint black isort bandit shellcheck hadolint golangci-lint staticcheck rspec rubocop " +
    "phpunit phpstan psalm ctest clang-tidy ktlint detekt swiftlint checkstyle knip publint"
  ).split(" "),
);

/** Programs that verify with these first words: `go test`, `cargo clippy`. */
const withVerbs: Readonly<Record<string, RegExp>> = {
  go: /^(?:test|vet|build)\b/,
  cargo: /^(?:test|check|clippy|build|nextest|fmt --check)\b/,
  make: /(?:^|\s)(?:test|tests|check|lint|build|verify)\b/,
  just: /(?:^|\s)(?:test|check|lint|verify)\b/,
  npm: /^(?:t|test|tst|run(?:-script)? (?:-s )?(?:test|lint|types?|typecheck|check|build|ci)(?::\S*)?)(?:\s|$)/,
  pnpm: /^(?:t|test|lint|check|build|typecheck|run (?:test|lint|types?|typecheck|check|build|ci)(?::\S*)?)(?:\s|$)/,
  yarn: /^(?:test|lint|check|build|typecheck|run (?:test|lint|types?|typecheck|check|build|ci)(?::\S*)?)(?:\s|$)/,
  bun: /^(?:test|run (?:test|lint|types?|typecheck|check|build)(?::\S*)?)(?:\s|$)/,
  deno: /^(?:test|lint|check|fmt --check)\b/,
  node: /(?:^|\s)--test(?:\s|$|=)/,
  python: /^-m (?:pytest|unittest|mypy|ruff|flake8|pylint|tox|nox)\b/,
  python3: /^-m (?:pytest|unittest|mypy|ruff|flake8|pylint|tox|nox)\b/,
  uv: /^run (?:pytest|mypy|ruff|pyright|tox)\b/,
  poetry: /^run (?:pytest|mypy|ruff|pyright|tox)\b/,
  mvn: /(?:^|\s)(?:test|verify|compile|package)\b/,
  gradle: /(?:^|\s)(?:test|check|build|lint)\b/,
  gradlew: /(?:^|\s)(?:test|check|build|lint)\b/,
  dotnet: /^(?:test|build|format --verify)\b/,
  swift: /^(?:test|build)\b/,
  mix: /^(?:test|credo|dialyzer|compile)\b/,
  bundle: /^exec (?:rspec|rubocop|rake test)\b/,
  rake: /^(?:test|spec)\b/,
  composer: /^(?:test|run test|validate)\b/,
};

/** Whether a program with these arguments tests, lints, type-checks or builds: work that checks other work. */
export const isVerifier = (program: string, args: readonly string[]): boolean =>
  always.has(program) || (lookup(withVerbs, program)?.test(args.join(" ")) ?? false);
