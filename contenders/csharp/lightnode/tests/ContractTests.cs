namespace LightNode.Tests;

[Tests]
static class ContractTests
{
    public class Base : LightNodeContract
    {
        public string Inherited() => "inherited";
    }

    public class Plain : Base
    {
        public string Property { get; set; } = "";

        public string Hello(string name) => $"hello {name}";

        public string Path() => Context.Request.Path;

        public Task<int> Later() => Task.Run(() => 1);

        public async ValueTask<int> Soon()
        {
            await Task.Yield();
            return 2;
        }

        [IgnoreOperation]
        public string Hidden() => "hidden";
    }

    [IgnoreOperation]
    public class Ignored : LightNodeContract
    {
        public string Any() => "any";
    }

    internal class Overloaded : LightNodeContract
    {
        public int Sum(int a) => a;

        public int Sum(int a, int b) => a + b;
    }

    internal class WithoutConstructor(int x) : LightNodeContract
    {
        public int X() => x;
    }

    internal class Generic : LightNodeContract
    {
        public T Same<T>() => default!;
    }

    internal class Unbindable : LightNodeContract
    {
        public void Take(object o)
        {
        }
    }

    public static async Task Public_methods_of_a_contract_are_operations_under_class_and_method()
    {
        await using var server = await TestServer.Start(null, typeof(Plain));
        await server.Expect("/Plain/Hello?name=x", 200, "\"hello x\"");
        await server.Expect("/Plain/Inherited", 200, "\"inherited\"");
        await server.Expect("/Plain/Path", 200, "\"/Plain/Path\"");
        foreach (var path in new[] { "/", "/Plain", "/Plain/", "/Plain/None", "/Plain/Hello/x?name=x", "/a/Plain/Hello?name=x", "/Base/Inherited" })
        {
            await server.Expect(path, 404);
        }
    }

    public static async Task Paths_are_found_in_any_case()
    {
        await using var server = await TestServer.Start(null, typeof(Plain));
        await server.Expect("/plain/HELLO?name=x", 200, "\"hello x\"");
    }

    public static async Task Results_are_awaited()
    {
        await using var server = await TestServer.Start(null, typeof(Plain));
        await server.Expect("/Plain/Later", 200, "1");
        await server.Expect("/Plain/Soon", 200, "2");
    }

    public static async Task IgnoreOperation_takes_methods_and_classes_out()
    {
        await using var server = await TestServer.Start(null, typeof(Plain), typeof(Ignored));
        await server.Expect("/Plain/Hidden", 404);
        await server.Expect("/Ignored/Any", 404);
    }

    public static async Task Properties_and_methods_of_object_are_no_operations()
    {
        await using var server = await TestServer.Start(null, typeof(Plain));
        foreach (var method in new[] { "ToString", "GetType", "GetHashCode", "Equals", "get_Property", "set_Property", "get_Context" })
        {
            await server.Expect($"/Plain/{method}", 404);
        }
    }

    public static Task What_cannot_be_an_operation_stops_the_start_with_its_name()
    {
        Refused(typeof(Overloaded), "/Overloaded/Sum is there 2 times");
        Refused(typeof(WithoutConstructor), "expected a public constructor without parameters");
        Refused(typeof(Generic), "/Generic/Same: the method is generic");
        Refused(typeof(Unbindable), "/Unbindable/Take: parameter o is System.Object; expected");
        Refused(typeof(string), "expected a class that derives from LightNodeContract");
        return Task.CompletedTask;

        static void Refused(Type contract, string words) =>
            Check.Throws<InvalidOperationException>(() => Contracts.Of(new LightNodeOptions(), contract), words);
    }

    public static async Task Contracts_of_an_assembly_are_found()
    {
        var options = new LightNodeOptions();
        var found = Contracts.In(options, typeof(Perf).Assembly).Select(operation => operation.Path).ToArray();
        Check.That(found.Contains("/Perf/Echo") && found.Contains("/Coin/Toss"), string.Join(" ", found));
        await using var server = await TestServer.Start(app => app.UseLightNode(options, typeof(Perf).Assembly));
        await server.Expect("/Perf/Echo?name=hogehoge&x=10&y=20&e=2", 200, "{\"Name\":\"hogehoge\",\"Sum\":60}");
    }
}
