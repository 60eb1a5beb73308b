--- Adds a tree of jobs, all or none: every node is checked before the first is written. Parents come before children.
-- @include reject gate limits time sound attachment places events receipt
-- @rejects PARENT_JOB_NOT_FOUND PARENT_JOB_CANNOT_BE_REPLACED JOB_NOT_IN_STATE REQUEST_ID_REUSED QUEUE_FULL PAYLOAD_TOO_LARGE
-- @returns one { id, 'created' | 'existing', location or '' } per node, or { rejection, index of the node from 0 } with what there is and what is allowed where that is a limit, or { 1, the former } for a request that was carried out before

local routing = KEYS[1] -- hash `meta` of the root's queue; the nodes' keys follow from their prefixes
local now = ARGV[1] -- ms
local nodes = cmsgpack.unpack(ARGV[2]) -- pack readonly {
--   prefix: string; id: string; name: string | Uint8Array; data: string | Uint8Array; opts: string | Uint8Array;
--   delay?: number; dueAt?: number; priority?: number; lifo?: boolean; parentIndex?: number; parentKey?: string;
--   parent?: string; hasChildren: boolean
-- }[]
local more = ARGV[3] and ARGV[3] ~= '' and cmsgpack.unpack(ARGV[3]) or {} -- pack { receipt?: { key: string; field?: string; digest: string; ttl: number; whole?: boolean; acked?: readonly string[] } | undefined }
-- end of declarations

local at = resolveNow(now)

--- An inner node that exists takes new children only while it waits for children.
local function nodeRejection(node)
  node.key = jobKey(node.prefix, node.id)
  node.timestamp = at
  node.expired = expiredSet(node.prefix, node.id, at) ~= nil
  node.exists = not node.expired and redis.call('EXISTS', node.key) == 1
  local above = node.parentIndex and nodes[node.parentIndex + 1]
  if above then
    node.parentKey = above.key
    if above.exists and not node.exists and not above.waits then
      return REJECT.JOB_NOT_IN_STATE
    end
  elseif node.parentKey and redis.call('EXISTS', node.parentKey) == 0 then
    return REJECT.PARENT_JOB_NOT_FOUND
  end
  node.waits = node.exists and redis.call('ZSCORE', queueKeys(node.prefix).waitingChildren, node.id) ~= false
  if node.exists and node.parentKey then
    return attachRejection(node.key, node.parentKey)
  end
  return nil
end

local replay = replayed(more.receipt)
if replay then
  return replay
end
for index, node in ipairs(nodes) do
  local rejection = nodeRejection(node)
  if rejection then
    return { rejection, index - 1 }
  end
end

--- The error that would stop the tree half way, or nil.
local function unsoundFlow()
  local seen = {}
  for _, node in ipairs(nodes) do
    local queue = queueKeys(node.prefix)
    local trouble = unsound({ 'SCARD', dependenciesKey(node.key) })
      or (node.parentKey and unsound({ 'SCARD', dependenciesKey(node.parentKey) })) or nil
    if not trouble and not seen[node.prefix] then
      seen[node.prefix] = true
      trouble = uncountable(queue.id) or unsoundPlaces(queue) or unsound({
        'ZCARD', queue.waitingChildren, 'ZCARD', queue.completed, 'ZCARD', queue.failed,
      })
    end
    if not trouble and node.exists and node.parentKey then
      trouble = unsoundParent(parentOf({ prefix = node.prefix, parentText = node.parent, parentKey = node.parentKey }))
    end
    if trouble then
      return trouble
    end
  end
  return nil
end

local metas, known = {}, {}
for index, node in ipairs(nodes) do
  local prefix = node.prefix
  metas[prefix] = metas[prefix] or readMeta(queueKeys(prefix))
  known[prefix] = known[prefix] or {}
  known[prefix].index = index - 1
  local rejection = limitRejection(metas[prefix], prefix, node, known[prefix])
  if rejection then
    return rejection
  end
end

local trouble = unsoundFlow()
if trouble then
  return trouble
end
local answers = {}

local function addNode(node)
  local queue = queueKeys(node.prefix)
  local meta = metas[node.prefix]
  redis.call('INCR', queue.id)
  local parent = node.parentKey and parentOf({ prefix = node.prefix, parentText = node.parent, parentKey = node.parentKey })
  if node.exists then
    local above = node.parentIndex and nodes[node.parentIndex + 1]
    if parent and not (above and above.exists and not above.waits) then
      attachExisting({ key = node.key, id = node.id, prefix = node.prefix }, parent, node.parent, at)
    end
    emitTrimmed(queue, meta, 'duplicated', 'jobId', node.id)
    return { node.id, 'existing', '' }
  end
  if node.expired then
    dropExpired(node.prefix, node.id, at)
    if parent and redis.call('EXISTS', parent.key) == 0 then
      -- It was its own parent.
      parent, node.parentKey, node.parent = nil, nil, nil
    end
  end
  if node.dueAt then
    node.delay = math.max(1, node.dueAt - at)
  end
  storeJob(queue, node.prefix, node.id, node)
  if parent then
    redis.call('SADD', dependenciesKey(parent.key), node.key)
  end
  if not node.hasChildren then
    return { node.id, 'created', placeJob(queue, meta, node.id, node) }
  end
  redis.call('ZADD', queue.waitingChildren, at, node.id)
  emitTrimmed(queue, meta, 'waiting-children', 'jobId', node.id)
  return { node.id, 'created', 'waiting-children' }
end

for index, node in ipairs(nodes) do
  answers[index] = addNode(node)
end
-- A parent whose children had all ended before it came must not wait for them.
for i = #nodes, 1, -1 do
  local node = nodes[i]
  if node.hasChildren then
    releaseParentIfReady({ key = node.key, id = node.id, prefix = node.prefix, policy = {} }, at)
  end
end
return remembered(more.receipt, answers)
