-- Times are RFC 3339 in UTC with milliseconds, so that they sort as text. Everything here is masked.
create table run (
  id            text primary key,
  status        text not null check (status in ('open', 'closed')),
  title         text,
  prompt        text,
  model         text,
  token_count   integer,
  actor         text not null,
  on_behalf_of  text,
  channel       text not null,
  captured_at   text not null,
  started_at    text not null,
  ended_at      text,
  expires_at    text not null
) strict;

create index run_expires on run (expires_at);

create table span (
  run_id               text not null references run (id) on delete cascade,
  seq                  integer not null,
  span_id              text not null,
  parent_span_id       text,
  category             text not null,
  name                 text,
  tool                 text,
  args                 text, -- JSON
  start_offset_ms      integer,
  duration_ms          integer,
  produced_artifact_id text,
  output_sha256        text,
  output_size          integer,
  output_truncated     integer,
  primary key (run_id, seq),
  unique (run_id, span_id)
) strict, without rowid;

-- Bytes of outputs, once per run however many spans gave the same.
create table output (
  run_id  text not null references run (id) on delete cascade,
  sha256  text not null,
  bytes   blob not null,
  primary key (run_id, sha256)
) strict;
