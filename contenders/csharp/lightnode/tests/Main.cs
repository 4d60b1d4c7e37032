using LightNode.Tests;

return await Runner.Run() ? 0 : 1;
