/** The store's schema as numbered steps. A step is never edited once released; a change is a new step. */

export interface Migration {
  readonly version: number
  readonly sql: string
}

/** Marks the file as ours ("RCPS"), so that another program's database is refused, not migrated. */
export const applicationId = 0x52435053

const first = `
CREATE TABLE studies (
  study_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  preset TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'interrupted', 'failed', 'finished')),
  seed INTEGER NOT NULL,
  config TEXT NOT NULL,
  config_sha256 TEXT NOT NULL,
  code_version TEXT NOT NULL,
  model_dir TEXT NOT NULL,
  model_files TEXT NOT NULL,
  base_sha256 TEXT,
  device TEXT NOT NULL,
  device_reason TEXT,
  threads INTEGER NOT NULL,
  verify_resume INTEGER NOT NULL,
  corpus_manifest_sha256 TEXT,
  corpus_audit TEXT,
  report_files TEXT NOT NULL DEFAULT '[]',
  owner TEXT,
  error TEXT,
  error_stage TEXT,
  created_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;

CREATE TABLE stages (
  study_id TEXT NOT NULL REFERENCES studies ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'interrupted', 'failed', 'finished')),
  seconds REAL NOT NULL DEFAULT 0,
  updates INTEGER NOT NULL DEFAULT 0,
  total INTEGER NOT NULL DEFAULT 0,
  started_at TEXT,
  finished_at TEXT,
  error TEXT,
  PRIMARY KEY (study_id, name)
) STRICT;

CREATE TABLE runs (
  run_id TEXT PRIMARY KEY,
  study_id TEXT REFERENCES studies ON DELETE CASCADE,
  stage TEXT NOT NULL,
  purpose TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'interrupted', 'failed', 'finished')),
  preset TEXT NOT NULL,
  config TEXT NOT NULL,
  device TEXT NOT NULL,
  device_reason TEXT,
  threads INTEGER NOT NULL,
  base_sha256 TEXT,
  data_sha256 TEXT NOT NULL,
  code_version TEXT NOT NULL,
  updates_done INTEGER NOT NULL DEFAULT 0,
  updates_total INTEGER NOT NULL DEFAULT 0,
  journal_bytes INTEGER NOT NULL DEFAULT 0,
  journal_sha256 TEXT,
  summary TEXT,
  seconds TEXT NOT NULL DEFAULT '{}',
  owner TEXT,
  stage_process TEXT,
  error TEXT,
  error_kind TEXT,
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT
) STRICT;
CREATE INDEX runs_of_study ON runs (study_id, created_at);

CREATE TABLE run_parents (
  run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  role TEXT NOT NULL,
  parent_run_id TEXT NOT NULL REFERENCES runs,
  PRIMARY KEY (run_id, role)
) STRICT;

CREATE TABLE updates (
  run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  update_number INTEGER NOT NULL,
  step INTEGER NOT NULL,
  learning_rate REAL NOT NULL,
  loss REAL NOT NULL,
  grad_norm REAL NOT NULL,
  metrics TEXT NOT NULL,
  rows TEXT NOT NULL,
  PRIMARY KEY (run_id, update_number)
) STRICT;

CREATE TABLE validations (
  run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  epoch INTEGER NOT NULL,
  population INTEGER NOT NULL,
  loss REAL NOT NULL,
  accuracy REAL,
  ties INTEGER,
  rows TEXT NOT NULL,
  PRIMARY KEY (run_id, epoch)
) STRICT;

CREATE TABLE rollouts (
  run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  iteration INTEGER NOT NULL,
  position INTEGER NOT NULL,
  rollout_id TEXT NOT NULL,
  prompt_id TEXT NOT NULL,
  policy_sha256 TEXT NOT NULL,
  prompt_ids BLOB NOT NULL,
  response_ids BLOB NOT NULL,
  text TEXT NOT NULL,
  finish_reason TEXT NOT NULL CHECK (finish_reason IN ('eos', 'length')),
  tokenization_valid INTEGER NOT NULL,
  old_token_logprobs BLOB NOT NULL,
  reference_token_logprobs BLOB NOT NULL,
  token_values BLOB NOT NULL,
  token_rewards BLOB NOT NULL,
  advantages BLOB NOT NULL,
  returns BLOB NOT NULL,
  learned_reward_score REAL NOT NULL,
  reward_judge REAL NOT NULL,
  reward_kl REAL NOT NULL,
  reward_truncation REAL NOT NULL,
  sampled_actor_reference_logratio REAL NOT NULL,
  PRIMARY KEY (run_id, rollout_id)
) STRICT;
CREATE INDEX rollouts_by_iteration ON rollouts (run_id, iteration, position);

CREATE TABLE observations (
  run_id TEXT NOT NULL,
  update_number INTEGER NOT NULL,
  rollout_id TEXT NOT NULL,
  current_token_logprobs BLOB NOT NULL,
  ratios BLOB NOT NULL,
  current_values BLOB NOT NULL,
  actor_loss REAL NOT NULL,
  critic_loss REAL NOT NULL,
  old_logprob_max_difference REAL NOT NULL,
  PRIMARY KEY (run_id, update_number, rollout_id),
  FOREIGN KEY (run_id, update_number) REFERENCES updates (run_id, update_number) ON DELETE CASCADE,
  FOREIGN KEY (run_id, rollout_id) REFERENCES rollouts (run_id, rollout_id) ON DELETE CASCADE
) STRICT;

CREATE TABLE branches (
  study_id TEXT NOT NULL REFERENCES studies ON DELETE CASCADE,
  branch TEXT NOT NULL CHECK (branch IN ('base', 'sft', 'ppo')),
  run_id TEXT NOT NULL REFERENCES runs,
  metrics TEXT NOT NULL,
  repeated_probe_contexts_verified INTEGER NOT NULL,
  actor_sha256 TEXT NOT NULL,
  PRIMARY KEY (study_id, branch)
) STRICT;

CREATE TABLE evaluations (
  study_id TEXT NOT NULL,
  branch TEXT NOT NULL,
  position INTEGER NOT NULL,
  document_id TEXT NOT NULL,
  family TEXT NOT NULL,
  split TEXT NOT NULL CHECK (split IN ('test', 'probe')),
  prompt TEXT NOT NULL,
  text TEXT NOT NULL,
  token_ids BLOB NOT NULL,
  finish_reason TEXT NOT NULL CHECK (finish_reason IN ('eos', 'length')),
  response_tokens INTEGER NOT NULL,
  learned_reward_score REAL NOT NULL,
  sampled_actor_reference_logratio REAL NOT NULL,
  rubric TEXT NOT NULL,
  PRIMARY KEY (study_id, branch, document_id),
  FOREIGN KEY (study_id, branch) REFERENCES branches (study_id, branch) ON DELETE CASCADE
) STRICT;

CREATE TABLE reward_pairs (
  study_id TEXT NOT NULL REFERENCES studies ON DELETE CASCADE,
  position INTEGER NOT NULL,
  document_id TEXT NOT NULL,
  chosen_score REAL NOT NULL,
  rejected_score REAL NOT NULL,
  correct INTEGER NOT NULL,
  tie INTEGER NOT NULL,
  PRIMARY KEY (study_id, document_id)
) STRICT;

CREATE TABLE probes (
  study_id TEXT NOT NULL REFERENCES studies ON DELETE CASCADE,
  position INTEGER NOT NULL,
  document_id TEXT NOT NULL,
  family TEXT NOT NULL,
  prompt TEXT NOT NULL,
  candidate TEXT NOT NULL,
  candidate_correct INTEGER NOT NULL,
  candidate_polite INTEGER NOT NULL,
  response_tokens INTEGER NOT NULL,
  reward_score REAL NOT NULL,
  rubric TEXT NOT NULL,
  PRIMARY KEY (study_id, document_id)
) STRICT;

CREATE TABLE summaries (
  study_id TEXT NOT NULL REFERENCES studies ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name IN ('reward_test', 'probes', 'scope')),
  content TEXT NOT NULL,
  PRIMARY KEY (study_id, name)
) STRICT;

CREATE TABLE artifacts (
  owner_id TEXT NOT NULL,
  path TEXT NOT NULL,
  kind TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  run_id TEXT REFERENCES runs ON DELETE CASCADE,
  PRIMARY KEY (owner_id, path)
) STRICT;
CREATE INDEX artifacts_by_hash ON artifacts (sha256);

CREATE TABLE facts (
  study_id TEXT NOT NULL REFERENCES studies ON DELETE CASCADE,
  name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ok', 'failed')),
  detail TEXT NOT NULL,
  PRIMARY KEY (study_id, name)
) STRICT;

CREATE TABLE resume_checks (
  study_id TEXT NOT NULL REFERENCES studies ON DELETE CASCADE,
  stage TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (study_id, stage)
) STRICT;

CREATE TABLE provenance (
  study_id TEXT NOT NULL REFERENCES studies ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (study_id, name)
) STRICT;

CREATE TABLE compute_lock (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  owner TEXT NOT NULL,
  what TEXT NOT NULL,
  taken_at TEXT NOT NULL,
  heartbeat_at TEXT NOT NULL
) STRICT;
`

const groupRollouts = `
CREATE TABLE group_rollouts (
  run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  iteration INTEGER NOT NULL,
  position INTEGER NOT NULL,
  rollout_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  policy_sha256 TEXT NOT NULL,
  reward REAL,
  content TEXT NOT NULL,
  PRIMARY KEY (run_id, rollout_id)
) STRICT;
CREATE INDEX group_rollouts_by_iteration ON group_rollouts (run_id, iteration, position);
`

const creditAudits = `
CREATE TABLE credit_audits (
  run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  update_number INTEGER NOT NULL,
  iteration INTEGER NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (run_id, update_number)
) STRICT;
`

export const migrations: readonly Migration[] = [
  { version: 1, sql: first },
  { version: 2, sql: groupRollouts },
  { version: 3, sql: creditAudits },
]

export const newestVersion = migrations.at(-1)!.version
