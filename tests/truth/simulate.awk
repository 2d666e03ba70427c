# SPDX-License-Identifier: GPL-2.0-only
# awk -v kind=KIND [-v seed=N] -f simulate.awk: two CPUs, processes and threads
# that are born, exec, exit and have their ids used again, in spe-asm's words; every
# record says who really ran.  The kinds, each one way for evidence to be missing or
# misleading, stand in test-simulated.sh.

# Numbers that are the same in every awk.
function below(n) {
	state = state * 16807 % 2147483647
	return state % n
}

function chance(percent) {
	return below(100) < percent
}

# A side-band statement of the CPU, unless its ring is full.
function say(cpu, text) {
	if (hole[cpu]) {
		lost[cpu]++
		return
	}
	if (lost[cpu]) {
		print "lost " lost[cpu] " time=" now[cpu]
		lost[cpu] = 0
	}
	print text " time=" now[cpu]
}

function new_id(  id) {
	do {
		id = first_id + next_id++ % ids
	} while (id in pid)
	return id
}

function born(cpu, process, id) {
	pid[id] = process
	threads[process]++
	comm[id] = "task-" id
	live++
}

function fork(cpu, parent, thread,  id, process) {
	id = new_id()
	process = thread ? pid[parent] : id
	born(cpu, process, id)
	say(cpu, "fork " process "/" id " from " pid[parent] "/" parent)
}

function died(id) {
	threads[pid[id]]--
	delete pid[id]
	live--
}

function leave(cpu, id) {
	say(cpu, "exit " pid[id] "/" id " from " pid[id] "/" id)
	died(id)
}

# Thread `id` execs: the others of its process are gone, and it is the leader.
function exec(cpu, id,  other, process) {
	process = pid[id]
	for (other = first_id; other < first_id + ids; other++)
		if (other in pid && pid[other] == process && other != id && other != process) {
			say(cpu, "exit " process "/" other)
			died(other)
		}
	if (id != process) {
		if (process in pid)
			died(process)
		died(id)
		born(cpu, process, process)
	}
	say(cpu, "comm " process "/" process " new-" process " exec")
	return process
}

# Does another thread of the process run on the other CPU?
function elsewhere(cpu, id) {
	return current[1 - cpu] in pid && pid[current[1 - cpu]] == pid[id]
}

function pick(cpu,  id, tries) {
	for (tries = 0; tries < 200; tries++) {
		id = first_id + below(ids)
		if (id in pid && id != current[1 - cpu] && id != current[cpu])
			return id
	}
	return 0
}

function task(id) {
	return id in pid ? pid[id] "/" id : "0/0"
}

# From the one that ran to the one that comes; a task outside looks like idle.
function turn(cpu, to,  from_task, to_task) {
	from_task = shown[cpu] == "" ? "0/0" : shown[cpu]
	to_task = task(to)
	if (switches) {
		say(cpu, "switch out " from_task " next " to_task)
		now[cpu] += 2000
		say(cpu, "switch in " to_task " prev " from_task)
	}
	shown[cpu] = to_task
	current[cpu] = to
	register[cpu] = to
	now[cpu] += 1000
}

function sample(cpu, owner, user,  text, context, guest) {
	pc += 4
	text = sprintf("record pc=%s%08x", user ? "0x" : "0xffff8000", pc)
	context = owner == outside ? outside : register[cpu] + (register[cpu] ? offset : 0)
	if (kind == "zeros")
		context = 0
	if (kind == "switches" || kind == "holes" || (kind == "one-cpu" && cpu == 1) ||
	    (kind == "tenth" && chance(10)))
		context = "none"
	if (kind == "guests" && chance(40)) {
		text = text " guest=" first_id + below(ids)
		if (!user && chance(50))
			text = text " el=1"
	}
	print text " op=other context=" context " owner=" (owner == outside ? outside "/" outside : task(owner)) \
		" time=" now[cpu]
	now[cpu] += 700 + below(600)
}

# Another task comes to the CPU; the one before may be over.
function next_slice(cpu,  id) {
	id = current[cpu]
	if (id in pid && chance(25) && live > 8 && !elsewhere(cpu, id) &&
	    (id != pid[id] || threads[id] == 1))
		leave(cpu, id) # the switch-out still names it
	if (kind == "holes" && chance(4))
		hole[cpu] = !hole[cpu]
	away[cpu] = kind == "namespace" && chance(15)
	turn(cpu, chance(10) || away[cpu] ? 0 : pick(cpu))
	left[cpu] = 3 + below(12)
}

# What the task does, then one sample.  The CPU whose time it is is always the
# one that is behind, so that all of it happens in order.
function step(cpu,  id) {
	print "cpu " cpu
	if (!left[cpu]--) {
		next_slice(cpu)
		return
	}
	id = current[cpu]
	if (id && chance(4) && live < ids / 2)
		fork(cpu, id, kind == "exec" || chance(40))
	if (id && kind == "exec" && chance(6) && !elsewhere(cpu, id))
		shown[cpu] = task(id = current[cpu] = exec(cpu, id))
	sample(cpu, away[cpu] ? outside : id, (id || away[cpu]) && chance(60))
}

BEGIN {
	state = 12345 + seed
	ids = 40
	first_id = 300
	outside = 7777
	offset = kind == "namespace" ? 41000 : 0
	switches = kind !~ /^(reuse|exec|guests)$/
	print "file cpus=2" (kind == "guests" ? " kernel=el2" : "")
	for (i = 0; i < 6; i++) {
		id = new_id()
		born(0, id, id)
		print "process " id " task-" id
	}
	for (cpu = 0; cpu < 2; cpu++) {
		print "cpu " cpu "\ncontexts " (kind == "guests" ? "el2" : "el1")
		now[cpu] = 1000000 + cpu
		current[cpu] = register[cpu] = 0
	}
	for (n = 0; n < 6000; n++)
		step(now[0] <= now[1] ? 0 : 1)
	for (cpu = 0; cpu < 2; cpu++) {
		hole[cpu] = 0
		print "cpu " cpu
		turn(cpu, 0)
	}
}
