// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.testkit;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceFactory;

import org.apache.seatunnel.common.config.Common;
import org.apache.seatunnel.common.config.DeployMode;
import org.apache.seatunnel.engine.client.SeaTunnelClient;
import org.apache.seatunnel.engine.client.job.ClientJobProxy;
import org.apache.seatunnel.engine.common.config.ConfigProvider;
import org.apache.seatunnel.engine.common.config.JobConfig;
import org.apache.seatunnel.engine.common.config.SeaTunnelConfig;
import org.apache.seatunnel.engine.common.config.server.CheckpointStorageConfig;
import org.apache.seatunnel.engine.common.runtime.ExecutionMode;
import org.apache.seatunnel.engine.server.SeaTunnelNodeContext;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * A real Zeta node in this process, with a cluster name, a port and a folder of its own, and a
 * client connected to it. It listens on the loopback interface only if the process was started with
 * {@code -Dhazelcast.socket.bind.any=false}, which {@link #start} insists on. The engine leaves
 * threads behind: a process that is done ends with an exit call.
 */
public final class EngineNode implements AutoCloseable {
    private static final String BIND_ANY = "hazelcast.socket.bind.any";

    private final Path folder;
    private final SeaTunnelConfig config;
    private final HazelcastInstance node;
    private final SeaTunnelClient client;

    private EngineNode(
            Path folder, SeaTunnelConfig config, HazelcastInstance node, SeaTunnelClient client) {
        this.folder = folder;
        this.config = config;
        this.node = node;
        this.client = client;
    }

    /**
     * Starts a node; takes 2 to 4 seconds.
     *
     * @param folder gets the node's checkpoints and job files
     */
    public static EngineNode start(Path folder) {
        if (!"false".equals(System.getProperty(BIND_ANY))) {
            throw new IllegalStateException(
                    "start the JVM with -D"
                            + BIND_ANY
                            + "=false: the node would listen on all"
                            + " interfaces");
        }
        // The client's lines go where the node's do, and not to the console past every log setting.
        System.setProperty("hazelcast.logging.type", "log4j2");
        Common.setDeployMode(DeployMode.CLIENT);
        SeaTunnelConfig config = ConfigProvider.locateAndGetSeaTunnelConfig();
        String cluster = "forebay-" + UUID.randomUUID();
        config.getHazelcastConfig().setClusterName(cluster);
        config.getHazelcastConfig().getNetworkConfig().setPortAutoIncrement(true);
        config.getEngineConfig().setMode(ExecutionMode.LOCAL);
        config.getEngineConfig()
                .getCheckpointConfig()
                .setStorage(storage(folder.resolve("checkpoints")));
        HazelcastInstance node =
                HazelcastInstanceFactory.newHazelcastInstance(
                        config.getHazelcastConfig(), cluster, new SeaTunnelNodeContext(config));
        ClientConfig clientConfig = ConfigProvider.locateAndGetClientConfig();
        clientConfig.setClusterName(cluster);
        int port = node.getCluster().getLocalMember().getSocketAddress().getPort();
        clientConfig
                .getNetworkConfig()
                .setAddresses(Collections.singletonList("127.0.0.1:" + port));
        return new EngineNode(folder, config, node, new SeaTunnelClient(clientConfig));
    }

    private static CheckpointStorageConfig storage(Path folder) {
        Map<String, String> plugin = new HashMap<>();
        plugin.put("namespace", folder + "/");
        CheckpointStorageConfig storage = new CheckpointStorageConfig();
        storage.setStorage("localfile");
        storage.setStoragePluginConfig(plugin);
        return storage;
    }

    /** Submits a job; {@code definition} is the text of a job file. */
    public ClientJobProxy submit(String name, String definition) throws Exception {
        return client.createExecutionContext(file(name, definition), jobConfig(name), config)
                .execute();
    }

    /** Submits a job again from its last savepoint or checkpoint. */
    public ClientJobProxy restore(String name, String definition, long jobId) throws Exception {
        return client.restoreExecutionContext(
                        file(name, definition), jobConfig(name), config, jobId)
                .execute();
    }

    /** Stops a job with a savepoint and waits until it has stopped. */
    public String savepoint(ClientJobProxy job) {
        client.getJobClient().savePointJob(job.getJobId());
        return job.waitForJobCompleteV2().getStatus().name();
    }

    /** The folder that checkpoints are kept in. */
    public Path checkpoints() {
        return folder.resolve("checkpoints");
    }

    private String file(String name, String definition) throws IOException {
        Path file = folder.resolve(name + ".conf");
        Files.write(file, definition.getBytes(StandardCharsets.UTF_8));
        return file.toString();
    }

    private static JobConfig jobConfig(String name) {
        JobConfig config = new JobConfig();
        config.setName(name);
        return config;
    }

    @Override
    public void close() {
        client.close();
        node.shutdown();
    }
}
